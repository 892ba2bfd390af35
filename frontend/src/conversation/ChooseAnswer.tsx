import { useState } from "react";
import { chooseTurn } from "../api/alternatives";
import { applyRevert, previewRevert } from "../api/reverts";
import { useLive } from "../store/SessionContext";
import { Dialog } from "../ui/Dialog";
import { ProblemBox } from "../ui/ProblemBox";
import { useAction } from "../ui/useAction";
import { FilesChoice } from "../undo/FilesChoice";
import { FilesConfirm } from "../undo/FilesConfirm";
import { useRevertPlan } from "../undo/useRevertPlan";

const CHOICES = [
  {
    value: "then",
    label: "Bring the files of this answer",
    hint: "The files are restored to the state after it. Changes of others are kept.",
  },
  {
    value: "now",
    label: "Leave the files as they are",
    hint: "Only the conversation continues from this answer.",
  },
] as const;

/** Chooses another answer to a prompt: at once if the files are the same, otherwise `asked` is set for the dialog. */
export function useChooseAnswer() {
  const sessionId = useLive((state) => state.session?.id ?? "");
  const isChild = useLive((state) => Boolean(state.session?.parent_id));
  const [asked, setAsked] = useState<string | null>(null);
  const { run, busy, error } = useAction();
  const choose = (turnId: string) =>
    run(async () => {
      if (isChild || (await hasSameFiles(sessionId, turnId))) await chooseTurn(turnId);
      else setAsked(turnId);
    });
  return { choose, busy, error, asked, close: () => setAsked(null) };
}

/** Returns whether the files need no change for this answer. If that cannot be found out, the dialog says why. */
async function hasSameFiles(sessionId: string, turnId: string): Promise<boolean> {
  try {
    return (await previewRevert(sessionId, { answer_id: turnId })).files.length === 0;
  } catch {
    return false;
  }
}

/** Asks what happens to the files when this answer is chosen. */
export function ChooseAnswerDialog({ turnId, onClose }: { turnId: string | null; onClose: () => void }) {
  return (
    <Dialog
      open={turnId !== null}
      onClose={onClose}
      title="Continue from this answer"
      className="undo-dialog"
    >
      {turnId && <ChooseAnswerForm turnId={turnId} onDone={onClose} />}
    </Dialog>
  );
}

function ChooseAnswerForm({ turnId, onDone }: { turnId: string; onDone: () => void }) {
  const sessionId = useLive((state) => state.session?.id ?? "");
  const [files, setFiles] = useState<"then" | "now">("then");
  const [refused, setRefused] = useState("");
  const scope = { answer_id: turnId };
  const plan = useRevertPlan(sessionId, files === "then" ? scope : null);
  const { run, busy, error } = useAction();
  const proceed = () =>
    run(async () => {
      setRefused("");
      if (files === "now") {
        await chooseTurn(turnId);
        return onDone();
      }
      const made = await applyRevert(sessionId, scope, plan.given);
      if (made.state !== "failed") return onDone();
      setRefused(made.error);
      await plan.restart();
    });
  return (
    <div className="confirm stack gap-16">
      <FilesChoice
        choices={CHOICES}
        files={files}
        onChoose={setFiles}
        plan={plan}
        verb="Continue"
        disabled={busy}
      />
      {refused && <ProblemBox role="alert" message={refused} hint="Nothing was changed." />}
      <FilesConfirm
        files={files}
        plan={plan}
        busy={busy}
        error={error}
        onCancel={onDone}
        onConfirm={() => void proceed()}
      >
        Continue
      </FilesConfirm>
    </div>
  );
}
