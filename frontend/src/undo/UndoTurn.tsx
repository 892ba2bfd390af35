import { useState } from "react";
import { useLive } from "../store/SessionContext";
import type { SessionState } from "../store/state";
import { Icon } from "../ui/Icon";
import { type ScopeChoice, UndoDialog } from "./UndoDialog";

/** Offers to take a finished turn back, to people who may act while nothing runs. */
export function UndoTurn({ turnId, latest }: { turnId: string; latest: boolean }) {
  const sessionId = useLive((state) => (mayUndo(state) ? state.session?.id : undefined));
  const messageId = useLive((state) => state.messageIdsByTurn[turnId]?.[0]);
  const [isOpen, setOpen] = useState(false);
  if (!sessionId || !messageId) return null;
  return (
    <>
      <button type="button" className="quiet-button inline gap-8 small muted" onClick={() => setOpen(true)}>
        <Icon name="undo" size={12} /> Undo this turn
      </button>
      <UndoDialog
        sessionId={sessionId}
        open={isOpen}
        onClose={() => setOpen(false)}
        title="Undo this turn"
        verb="Undo"
        choices={choicesOf(turnId, messageId, latest)}
      />
    </>
  );
}

function choicesOf(turnId: string, messageId: string, latest: boolean): ScopeChoice[] {
  const whole = latest ? "The turn: its messages and its files" : "This turn and everything after it";
  return [
    { label: whole, scope: { message_id: messageId } },
    { label: "Only the files of this turn; all messages stay", scope: { turn_id: turnId } },
    { label: "Single files or changes of this turn", scope: { turn_id: turnId }, pick: turnId },
  ];
}

export const mayUndo = (state: SessionState): boolean =>
  state.canAct &&
  !state.session?.parent_id &&
  !state.session?.archived &&
  state.session?.status === "idle" &&
  state.session.revert?.state !== "pending";
