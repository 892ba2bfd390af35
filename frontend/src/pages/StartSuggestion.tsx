import type { Project } from "../api/types";
import { useFirstPrompt } from "../app/useFirstPrompt";
import { Icon } from "../ui/Icon";
import { Problem } from "../ui/Notice";

interface StartSuggestionProps {
  project: Project;
  isPrivate?: boolean;
}

/** A button that starts a session with the project's suggested prompt. */
export function StartSuggestion({ project, isPrivate = false }: StartSuggestionProps) {
  const { start, busy, error } = useFirstPrompt(project.id, isPrivate);
  const prompt = project.suggested_prompt;
  if (!prompt) return null;
  return (
    <>
      <button
        type="button"
        className="suggestion line gap-12 full-width"
        data-testid="suggested-prompt"
        disabled={busy}
        onClick={() => start(prompt)}
      >
        <span className="suggestion-label muted">{busy ? "Starting" : "Start with"}</span>
        <span>{prompt}</span>
        <Icon name="send" />
      </button>
      {error !== null && <Problem error={error} />}
    </>
  );
}
