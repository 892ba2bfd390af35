import { useState } from "react";
import { retryTurn } from "../api/alternatives";
import { useLive } from "../store/SessionContext";
import { Dialog } from "../ui/Dialog";
import { Icon } from "../ui/Icon";
import { useAction } from "../ui/useAction";
import { FilesChoice } from "../undo/FilesChoice";
import { FilesConfirm } from "../undo/FilesConfirm";
import { useRevertPlan } from "../undo/useRevertPlan";
import "./Alternatives.css";

/** Answers the turn's prompt again, for people who can act, at a turn of the conversation that has ended. */
export function TryAgain({ turnId }: { turnId: string }) {
  const can = useLive(
    (state) =>
      state.canAct &&
      state.session?.status === "idle" &&
      !state.turns[turnId]?.caller_id &&
      !state.alternatives[turnId]?.hidden_with_id &&
      (state.messageIdsByTurn[turnId] ?? []).some((id) => state.messages[id]?.role === "user"),
  );
  const [isOpen, setOpen] = useState(false);
  if (!can) return null;
  return (
    <>
      <button
        type="button"
        className="quiet-button inline gap-8 small muted"
        title="Answers the prompt again. This answer and what follows stay beside the new one."
        onClick={() => setOpen(true)}
      >
        <Icon name="retry" size={12} /> Try again
      </button>
      <Dialog open={isOpen} onClose={() => setOpen(false)} title="Try again" className="undo-dialog">
        <TryAgainForm turnId={turnId} onDone={() => setOpen(false)} />
      </Dialog>
    </>
  );
}

function TryAgainForm({ turnId, onDone }: { turnId: string; onDone: () => void }) {
  const sessionId = useLive((state) => state.session?.id ?? "");
  const isChild = useLive((state) => Boolean(state.session?.parent_id));
  const promptId = useLive((state) =>
    (state.messageIdsByTurn[turnId] ?? []).find((id) => state.messages[id]?.role === "user"),
  );
  const [files, setFiles] = useState<"then" | "now">(isChild ? "now" : "then");
  const plan = useRevertPlan(sessionId, files === "then" && promptId ? { message_id: promptId } : null);
  const { run, busy, error } = useAction();
  const retry = () =>
    run(async () => {
      await retryTurn(turnId, { files, decisions: plan.given });
      onDone();
    });
  return (
    <div className="confirm stack gap-16">
      <p>The prompt is answered again. This answer and what follows are kept beside the new one.</p>
      {!isChild && <FilesChoice files={files} onChoose={setFiles} plan={plan} disabled={busy} />}
      <FilesConfirm
        files={files}
        plan={plan}
        busy={busy}
        error={error}
        onCancel={onDone}
        onConfirm={() => void retry()}
      >
        <Icon name="retry" size={14} /> Try again
      </FilesConfirm>
    </div>
  );
}
