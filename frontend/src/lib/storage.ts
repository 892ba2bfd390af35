/** Reads from localStorage; null if it is missing or blocked. */
export function readStored(key: string): string | null {
  try {
    return localStorage.getItem(`agentsite.${key}`);
  } catch {
    return null;
  }
}

export function writeStored(key: string, value: string | null): void {
  try {
    if (value === null) localStorage.removeItem(`agentsite.${key}`);
    else localStorage.setItem(`agentsite.${key}`, value);
  } catch {
    // Storage may be blocked or full; the interface works without it.
  }
}
