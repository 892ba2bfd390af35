import { useState } from "react";
import { isFocusLost } from "./useFocusIfLost";

/**
 * Gives the focus back to what had it. Browsers take it from a button that is disabled while it works, and from a
 * checkbox, so that Space would not switch it back.
 */
function returnFocus(to: Element | null): void {
  requestAnimationFrame(() => {
    if (to instanceof HTMLElement && to.isConnected && isFocusLost()) to.focus({ preventScroll: true });
  });
}

/** Runs an action and tracks whether it is running and why it failed. `run` returns whether it succeeded. */
export function useAction() {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const run = async (action: () => Promise<void>): Promise<boolean> => {
    const before = document.activeElement;
    setBusy(true);
    setError(null);
    try {
      await action();
      return true;
    } catch (problem) {
      setError(problem);
      return false;
    } finally {
      setBusy(false);
      returnFocus(before);
    }
  };
  return { run, busy, error, clear: () => setError(null) };
}
