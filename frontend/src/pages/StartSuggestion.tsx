import { useState } from "react";
import { useLocation } from "wouter";
import { createSession, sendPrompt } from "../api/endpoints";
import type { Project } from "../api/types";
import { refreshSessions } from "../app/queries";
import { writeDraft } from "../conversation/draft";
import { Icon } from "../ui/Icon";
import { Problem } from "../ui/Notice";

interface StartSuggestionProps {
  project: Project;
  isPrivate?: boolean;
}

/**
 * A button that creates a session and sends the project's suggested prompt. If sending fails, the prompt
 * stays as a draft.
 */
export function StartSuggestion({ project, isPrivate = false }: StartSuggestionProps) {
  const [, go] = useLocation();
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const prompt = project.suggested_prompt;
  const start = async () => {
    setBusy(true);
    setError(null);
    try {
      const session = await createSession(project.id, isPrivate ? { shared_with: "private" } : {});
      writeDraft(session.id, prompt);
      refreshSessions();
      await sendPrompt(session.id, prompt)
        .then(() => writeDraft(session.id, ""))
        .finally(() => go(`/sessions/${session.id}`));
    } catch (problem) {
      setError(problem);
    } finally {
      setBusy(false);
    }
  };
  if (!prompt) return null;
  return (
    <>
      <button
        type="button"
        className="suggestion line gap-12 full-width"
        data-testid="suggested-prompt"
        disabled={busy}
        onClick={start}
      >
        <span className="suggestion-label muted">{busy ? "Starting" : "Start with"}</span>
        <span>{prompt}</span>
        <Icon name="send" />
      </button>
      {error !== null && <Problem error={error} />}
    </>
  );
}
