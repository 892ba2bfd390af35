import { useLocation } from "wouter";
import { createSession, sendPrompt } from "../api/endpoints";
import { writeDraft } from "../conversation/draft";
import { useAction } from "../ui/useAction";
import { refreshSessions } from "./queries";

/**
 * Creates a session of a project, sends its first prompt and opens it. If only sending fails, the prompt stays as
 * a draft.
 */
export function useFirstPrompt(projectId: string, isPrivate: boolean) {
  const [, go] = useLocation();
  const { run, busy, error } = useAction();
  const start = (prompt: string) =>
    void run(async () => {
      const session = await createSession(projectId, isPrivate ? { shared_with: "private" } : {});
      writeDraft(session.id, prompt);
      refreshSessions();
      await sendPrompt(session.id, prompt)
        .then(() => writeDraft(session.id, ""))
        .finally(() => go(`/sessions/${session.id}`));
    });
  return { start, busy, error };
}
