import { type KeyboardEvent, useEffect, useRef, useState } from "react";
import { hasCode } from "../api/http";
import { changeQueuedPrompt, withdrawPrompt } from "../api/runningTurn";
import { useConnection } from "../store/SessionContext";
import { Problem } from "../ui/Notice";
import { useAction } from "../ui/useAction";
import { usePrompt } from "./PromptContext";

interface QueuedActionsProps {
  messageId: string;
  text: string;
  queued: boolean;
  canChange: boolean;
  isEditing: boolean;
  onEdit: (isEditing: boolean) => void;
}

/** The buttons of a prompt that waits, or the form that changes its text. Loaded when a prompt waits. */
export default function QueuedActions({ canChange, isEditing, onEdit, ...of }: QueuedActionsProps) {
  const change = useRef<HTMLButtonElement>(null);
  const wasEditing = useRef(false);
  useEffect(() => {
    if (wasEditing.current && !isEditing) change.current?.focus();
    wasEditing.current = isEditing;
  }, [isEditing]);
  const { error, run, busy } = useAction();
  const toComposer = useIntoComposer();
  const withdraw = () =>
    run(async () => {
      const { text, attachments } = await withdrawPrompt(of.messageId);
      toComposer(text, attachments);
    });
  if (isEditing) return <ChangeForm {...of} onDone={() => onEdit(false)} />;
  return (
    <>
      <div className="line gap-6">
        {canChange && (
          <button
            ref={change}
            type="button"
            className="button small queued-change"
            onClick={() => onEdit(true)}
          >
            Change
          </button>
        )}
        <button
          type="button"
          className="button small"
          disabled={busy}
          title="Removes it here and puts it into the prompt box"
          onClick={() => void withdraw()}
        >
          Take back
        </button>
      </div>
      {error !== null && <Problem error={error} />}
    </>
  );
}

/** Returns a function that puts a prompt before what is typed in the prompt box, and moves the focus there. */
function useIntoComposer() {
  const { draft, setDraft, files } = usePrompt();
  return (text: string, attachments: Parameters<typeof files.giveBack>[0] = []) => {
    setDraft([text, draft].filter(Boolean).join("\n\n"));
    files.giveBack(attachments);
    document.querySelector<HTMLTextAreaElement>(".prompt-text textarea")?.focus();
  };
}

/** Runs `keep` if the prompt was taken back by somebody else while the form was open. */
function useKeptIfRemoved(messageId: string, keep: () => void): void {
  const { store } = useConnection();
  const latest = useRef(keep);
  latest.current = keep;
  useEffect(
    () => () => {
      if (!store.getState().messages[messageId]) latest.current();
    },
    [store, messageId],
  );
}

type ChangeFormProps = Pick<QueuedActionsProps, "messageId" | "text" | "queued"> & { onDone: () => void };

function ChangeForm({ messageId, text, queued, onDone }: ChangeFormProps) {
  const [typed, setTyped] = useState(text);
  const { error, run, busy } = useAction();
  const toComposer = useIntoComposer();
  useKeptIfRemoved(messageId, () => typed !== text && toComposer(typed));
  const isTooLate = !queued || hasCode(error, "prompt_taken") || hasCode(error, "not_found");
  const asNew = () => {
    toComposer(typed);
    onDone();
  };
  const save = async () => {
    if (isTooLate) return asNew();
    if (typed.trim() === "" || busy) return;
    const isDone = await run(async () => {
      if (typed !== text) await changeQueuedPrompt(messageId, typed);
    });
    if (isDone) onDone();
  };
  const onKey = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return;
    if (event.key === "Escape") onDone();
    if (event.key !== "Enter" || event.shiftKey) return;
    event.preventDefault();
    void save();
  };
  return (
    <form
      className="stack gap-6"
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      <textarea
        // biome-ignore lint/a11y/noAutofocus: the person has just asked to change this text
        autoFocus
        aria-label="New text of the waiting prompt"
        rows={Math.min(12, typed.split("\n").length + 1)}
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
        onKeyDown={onKey}
      />
      {isTooLate ? (
        <p className="small" role="alert">
          The agent has this prompt already. What you typed can be sent as a new prompt.
        </p>
      ) : (
        error !== null && <Problem error={error} />
      )}
      <div className="line gap-6">
        <button type="submit" className="button primary small" disabled={busy || typed.trim() === ""}>
          {isTooLate ? "Put it into the prompt box" : "Save"}
        </button>
        <button type="button" className="button small" onClick={onDone}>
          Cancel
        </button>
      </div>
    </form>
  );
}
