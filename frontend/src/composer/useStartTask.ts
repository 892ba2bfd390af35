import { useLocation } from "wouter";
import { createSession, sendPrompt } from "../api/endpoints";
import { refreshSessions } from "../app/queries";
import { writeDraft } from "../conversation/draft";
import { useAction } from "../ui/useAction";
import { newSessionOf, type TaskOptions } from "./options";

/** Where the draft of a task is kept that has no session yet. */
export const DRAFT_OF_NEW = "new";

/**
 * Creates a session, sends its first prompt and opens it. If only sending fails, the prompt and its files stay there as
 * a draft. Without a prompt the session is opened empty.
 */
export function useStartTask(projectId: string) {
  const [, go] = useLocation();
  const { run, busy, error } = useAction();
  const start = (prompt: string, options: TaskOptions, files: readonly File[] = []) =>
    void run(async () => {
      const session = await createSession(projectId, newSessionOf(options));
      writeDraft(session.id, prompt);
      writeDraft(DRAFT_OF_NEW, "");
      refreshSessions();
      try {
        const attachments = files.length > 0 ? await upload(session.id, files) : [];
        if (prompt || attachments.length > 0) await sendPrompt(session.id, prompt, attachments);
        writeDraft(session.id, "");
      } finally {
        go(`/sessions/${session.id}`);
      }
    });
  return { start, busy, error };
}

/** Uploads the files as the session's draft does, and returns their ids. Throws if one could not be uploaded. */
async function upload(sessionId: string, files: readonly File[]): Promise<string[]> {
  const { areReady, fileDraftOf } = await import("../conversation/draftFiles");
  const draft = fileDraftOf(sessionId);
  await new Promise<void>((resolve, reject) => {
    const stop = draft.store.subscribe(({ files: drafted }) => {
      const failed = drafted.find((file) => file.error !== null);
      if (!failed && !areReady(drafted)) return;
      stop();
      if (failed) reject(failed.error);
      else resolve();
    });
    draft.add(files);
  });
  return draft.take().map(({ id }) => id);
}
