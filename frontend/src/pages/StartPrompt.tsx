import { type FormEvent, type KeyboardEvent, useState } from "react";
import { useFirstPrompt } from "../app/useFirstPrompt";
import { JUST_MADE } from "../project/paths";
import { Icon } from "../ui/Icon";
import { Problem } from "../ui/Notice";

interface StartPromptProps {
  projectId: string;
  isPrivate: boolean;
}

/** A field for the first prompt of a new session. It has the focus if the project was created just now. */
export function StartPrompt({ projectId, isPrivate }: StartPromptProps) {
  const [text, setText] = useState("");
  const [isNew] = useState(() => window.history.state === JUST_MADE);
  const { start, busy, error } = useFirstPrompt(projectId, isPrivate);
  const submit = (event: FormEvent | KeyboardEvent) => {
    event.preventDefault();
    if (text.trim() && !busy) start(text);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "Enter" && !event.shiftKey && !event.nativeEvent.isComposing) submit(event);
  };
  return (
    <form className="stack gap-8 full-width" onSubmit={submit} aria-label="New session">
      <label className="field">
        <span>What should the agent do?</span>
        <textarea
          rows={3}
          // biome-ignore lint/a11y/noAutofocus: the next step after creating a project is to type here
          autoFocus={isNew}
          value={text}
          onChange={(event) => setText(event.target.value)}
          onKeyDown={onKeyDown}
        />
      </label>
      {error !== null && <Problem error={error} />}
      <div>
        <button type="submit" className="button primary" disabled={busy || !text.trim()}>
          {busy ? "Starting" : "Start"} <Icon name="send" size={14} />
        </button>
      </div>
    </form>
  );
}
