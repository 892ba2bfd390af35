// Texts of files that somebody has changed and not saved. They survive leaving the file and reloading the page.
import { useSyncExternalStore } from "react";

export interface FileDraft {
  text: string;
  /** The hash of the content that the text was made from. */
  seen: string;
}

const keyOf = (sessionId: string, path: string) => `agentsite.file.${sessionId}.${path}`;
const held = new Map<string, FileDraft>();
const listeners = new Set<() => void>();
let version = 0;

function changed(): void {
  version += 1;
  for (const listener of listeners) listener();
}

export function readDraft(sessionId: string, path: string): FileDraft | null {
  const key = keyOf(sessionId, path);
  const known = held.get(key);
  if (known) return known;
  try {
    const stored = sessionStorage.getItem(key);
    return stored ? (JSON.parse(stored) as FileDraft) : null;
  } catch {
    return null;
  }
}

export function writeDraft(sessionId: string, path: string, draft: FileDraft | null): void {
  const key = keyOf(sessionId, path);
  if (draft) held.set(key, draft);
  else held.delete(key);
  try {
    if (draft) sessionStorage.setItem(key, JSON.stringify(draft));
    else sessionStorage.removeItem(key);
  } catch {
    // Storage may be blocked or full; the text is still in memory.
  }
  changed();
}

/** Renders again when a draft begins or ends. */
export function useHasDraft(sessionId: string, path: string): boolean {
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => version,
  );
  return readDraft(sessionId, path) !== null;
}
