import { hasCode } from "../api/http";

const RETRY_MS = 2_000;
const GIVE_UP_MS = 120_000; // a workspace that has no files by then shows why in its state

/**
 * Opens a terminal, and waits while its workspace has no files yet. `onWait` is called when it begins to wait. Rejects
 * with the refusal if the workspace is still not ready after two minutes, and after `signal` is aborted.
 */
export async function openWhenReady<T>(
  open: () => Promise<T>,
  { onWait, signal }: { onWait: () => void; signal: AbortSignal },
): Promise<T> {
  const until = performance.now() + GIVE_UP_MS;
  for (;;) {
    try {
      return await open();
    } catch (problem) {
      const late = performance.now() + RETRY_MS > until;
      if (late || signal.aborted || !hasCode(problem, "workspace_not_ready")) throw problem;
      onWait();
      await pause(signal);
      if (signal.aborted) throw problem;
    }
  }
}

const pause = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, RETRY_MS);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    });
  });
