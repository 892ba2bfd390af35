import { type FormEvent, useState } from "react";
import { useLocation } from "wouter";
import { editPrompt } from "../api/alternatives";
import { refreshSessions } from "../app/queries";
import { useLive } from "../store/SessionContext";
import type { SessionState } from "../store/state";
import { Dialog } from "../ui/Dialog";
import { Icon } from "../ui/Icon";
import { Problem } from "../ui/Notice";
import { RadioChoices } from "../ui/RadioChoices";
import { useAction } from "../ui/useAction";
import { FilesChoice } from "../undo/FilesChoice";
import { useRevertPlan } from "../undo/useRevertPlan";
import "./Alternatives.css";

/** A button that sends a prompt again with another text, for people who can act while the agent is idle. */
export function EditPrompt({ messageId, text }: { messageId: string; text: string }) {
  const can = useLive(
    (state) =>
      state.canAct &&
      state.session?.status === "idle" &&
      !state.turns[state.messages[messageId]?.turn_id ?? ""]?.caller_id,
  );
  const [isOpen, setOpen] = useState(false);
  if (!can) return null;
  return (
    <>
      <button
        type="button"
        className="icon-button edit-prompt-open"
        aria-label="Edit this prompt"
        title="Edit this prompt and send it again"
        onClick={() => setOpen(true)}
      >
        <Icon name="edit" />
      </button>
      <Dialog open={isOpen} onClose={() => setOpen(false)} title="Edit this prompt" className="undo-dialog">
        <EditForm messageId={messageId} text={text} onDone={() => setOpen(false)} />
      </Dialog>
    </>
  );
}

type Place = "here" | "then" | "now" | "same";

const PLACES: readonly { value: Place; label: string; hint: string }[] = [
  {
    value: "here",
    label: "Here",
    hint: "The old prompt, its answer and what follows are kept beside the new answer.",
  },
  {
    value: "then",
    label: "In a new session with the files as they were",
    hint: "A copy of the conversation before this prompt, in a new workspace in which later changes are taken back.",
  },
  {
    value: "now",
    label: "In a new session with the files as they are now",
    hint: "A copy of the conversation before this prompt, with the files of the last archive of this workspace.",
  },
  {
    value: "same",
    label: "In a new session in the same workspace",
    hint: "A copy of the conversation before this prompt. Both sessions work on the same files.",
  },
];

function EditForm({ messageId, text, onDone }: { messageId: string; text: string; onDone: () => void }) {
  const [, go] = useLocation();
  const [draft, setDraft] = useState(text);
  const [place, setPlace] = useState<Place>("here");
  const canFork = useLive((state) => !state.session?.parent_id);
  const sessionId = useLive((state) => state.session?.id ?? "");
  const firstId = useLive((state) => firstPromptOf(state, messageId));
  const [files, setFiles] = useState<"then" | "now">(canFork ? "then" : "now");
  const isAsked = place === "here" && files === "then";
  const plan = useRevertPlan(sessionId, isAsked ? { message_id: firstId } : null);
  const { run, busy, error } = useAction();
  const send = (event: FormEvent) => {
    event.preventDefault();
    void run(async () => {
      const where = place === "here" ? "here" : "fork";
      const taken = await editPrompt(messageId, {
        text: draft,
        where,
        workspace: place === "same" ? "same" : "copy",
        files: where === "here" ? files : place === "then" ? "then" : "now",
        decisions: plan.given,
      });
      onDone();
      if (where === "here") return;
      refreshSessions();
      go(`/sessions/${taken.session_id}`);
    });
  };
  return (
    <form className="confirm edit-prompt stack gap-16" onSubmit={send}>
      <label className="stack gap-6">
        <span className="semibold">Prompt</span>
        <textarea value={draft} disabled={busy} onChange={(event) => setDraft(event.target.value)} />
      </label>
      <RadioChoices
        legend="Where it is answered"
        name="edit-place"
        choices={PLACES}
        chosen={place}
        onChoose={setPlace}
        disabled={busy || !canFork}
      />
      {place === "here" && canFork && (
        <FilesChoice files={files} onChoose={setFiles} plan={plan} disabled={busy} />
      )}
      {error !== null && <Problem error={error} />}
      <div className="flow end">
        <button type="button" className="button" onClick={onDone}>
          Cancel
        </button>
        <button
          type="submit"
          className="button primary"
          disabled={busy || draft.trim() === "" || (isAsked && !plan.isReady)}
        >
          Send
        </button>
      </div>
    </form>
  );
}

/** The first prompt of the message's turn: prompts that joined the turn before this one are sent again, too. */
function firstPromptOf(state: SessionState, messageId: string): string {
  const ids = state.messageIdsByTurn[state.messages[messageId]?.turn_id ?? ""] ?? [];
  return ids.find((id) => state.messages[id]?.role === "user") ?? messageId;
}
