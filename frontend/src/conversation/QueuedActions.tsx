import { type KeyboardEvent, useEffect, useRef, useState } from "react";
import { hasCode } from "../api/http";
import { changeQueuedPrompt, withdrawPrompt } from "../api/runningTurn";
import { useConnection, useLive } from "../store/SessionContext";
import type { SessionState } from "../store/state";
import { Problem } from "../ui/Notice";
import { useAction } from "../ui/useAction";
import { leftPrompts } from "./layout";
import { usePrompt } from "./PromptContext";

interface QueuedActionsProps {
  messageId: string;
  text: string;
  queued: boolean;
  /** Whether the turn was stopped before the agent read the prompt. */
  isLeft: boolean;
  canChange: boolean;
  isEditing: boolean;
  onEdit: (isEditing: boolean) => void;
}

/** The buttons of a prompt that waits or was left, or the form that changes its text. Loaded when there is one. */
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
        {of.isLeft && <SendLeft messageId={of.messageId} run={run} busy={busy} />}
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

interface SendLeftProps {
  messageId: string;
  run: ReturnType<typeof useAction>["run"];
  busy: boolean;
}

/** Sends the prompts that a stopped turn left, as new ones. Below the last of them. */
function SendLeft({ messageId, run, busy }: SendLeftProps) {
  const { store } = useConnection();
  const { send, files, noteFile } = usePrompt();
  const toComposer = useIntoComposer();
  const left = (state: SessionState) => leftPrompts(state, state.messages[messageId]?.turn_id ?? "");
  const count = useLive((state) => left(state).length);
  const isLast = useLive((state) => left(state).at(-1) === messageId);
  if (!isLast) return null;
  const sendAll = async () => {
    const taken: Awaited<ReturnType<typeof withdrawPrompt>>[] = [];
    try {
      // all of them before the first is sent: a new turn reads what is left
      for (const id of left(store.getState())) taken.push(await withdrawPrompt(id));
    } catch (problem) {
      for (const { text, attachments } of taken.reverse()) toComposer(text, attachments);
      throw problem;
    }
    document.querySelector<HTMLTextAreaElement>(PROMPT_BOX)?.focus();
    for (const { text, attachments, paths } of taken) {
      files.giveBack(attachments);
      for (const path of paths) noteFile(path);
      await send(text);
    }
  };
  return (
    <button type="button" className="button primary small" disabled={busy} onClick={() => void run(sendAll)}>
      {count > 1 ? `Send all ${count} now` : "Send now"}
    </button>
  );
}

const PROMPT_BOX = ".prompt-text textarea";

/** Returns a function that puts a prompt before what is typed in the prompt box, and moves the focus there. */
function useIntoComposer() {
  const { draft, setDraft, files } = usePrompt();
  return (text: string, attachments: Parameters<typeof files.giveBack>[0] = []) => {
    setDraft([text, draft].filter(Boolean).join("\n\n"));
    files.giveBack(attachments);
    document.querySelector<HTMLTextAreaElement>(PROMPT_BOX)?.focus();
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

type ChangeFormProps = Pick<QueuedActionsProps, "messageId" | "text" | "queued" | "isLeft"> & {
  onDone: () => void;
};

function ChangeForm({ messageId, text, queued, isLeft, onDone }: ChangeFormProps) {
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
          {isLeft ? "The turn was stopped." : "The agent has this prompt already."} What you typed can be sent
          as a new prompt.
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
