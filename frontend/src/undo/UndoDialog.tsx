import { useState } from "react";
import { applyRevert, type RevertScope } from "../api/reverts";
import { Dialog } from "../ui/Dialog";
import { Icon } from "../ui/Icon";
import { Problem } from "../ui/Notice";
import { ProblemBox } from "../ui/ProblemBox";
import { useAction } from "../ui/useAction";
import { NOTHING, PickChanges, type Picked, scopeOf } from "./PickChanges";
import { RevertPlan } from "./RevertPlan";
import { useRevertPlan } from "./useRevertPlan";
import "./Undo.css";

interface UndoDialogProps {
  sessionId: string;
  open: boolean;
  onClose: () => void;
  title: string;
  /** Label of the button: "Undo" or "Redo". */
  verb: string;
  /** What may be taken back; with several, one is chosen. */
  choices: readonly ScopeChoice[];
}

export interface ScopeChoice {
  label: string;
  scope: RevertScope;
  /** The turn of which single files or changes are picked instead of the scope. */
  pick?: string;
}

/** Shows what an undo or redo would do with each file, asks about conflicts, and does it. */
export function UndoDialog({ open, onClose, title, ...form }: UndoDialogProps) {
  return (
    <Dialog open={open} onClose={onClose} title={title} className="undo-dialog">
      <UndoForm {...form} onDone={onClose} />
    </Dialog>
  );
}

type FormProps = Omit<UndoDialogProps, "open" | "onClose" | "title"> & { onDone: () => void };

function UndoForm({ sessionId, verb, choices, onDone }: FormProps) {
  const [chosen, setChosen] = useState(0);
  const [picked, setPicked] = useState<Picked>(NOTHING);
  const [refused, setRefused] = useState("");
  const { run, busy, error } = useAction();
  const choice = choices[chosen] ?? choices[0];
  const scope = choice?.pick ? scopeOf(choice.pick, picked) : (choice?.scope ?? null);
  const plan = useRevertPlan(sessionId, scope);
  const undo = () =>
    run(async () => {
      const made = await applyRevert(sessionId, scope as RevertScope, plan.given);
      setRefused(made.state === "failed" ? made.error : "");
      if (made.state !== "failed") return onDone();
      await plan.restart();
    });
  return (
    <div className="confirm stack gap-16" data-testid="undo">
      <Choices choices={choices} chosen={chosen} onChoose={setChosen} disabled={busy} />
      {choice?.pick && (
        <PickChanges sessionId={sessionId} turnId={choice.pick} picked={picked} onPick={setPicked} />
      )}
      <RevertPlan plan={plan} verb={verb} />
      {error !== null && <Problem error={error} />}
      {refused && <ProblemBox role="alert" message={refused} hint="Nothing was changed." />}
      <div className="flow end">
        <button type="button" className="button" onClick={onDone}>
          Cancel
        </button>
        <button
          type="button"
          className="button primary"
          disabled={busy || !plan.isReady}
          onClick={() => void undo()}
        >
          <Icon name={verb === "Redo" ? "redo" : "undo"} size={14} /> {verb}
        </button>
      </div>
    </div>
  );
}

interface ChoicesProps {
  choices: readonly ScopeChoice[];
  chosen: number;
  onChoose: (index: number) => void;
  disabled: boolean;
}

function Choices({ choices, chosen, onChoose, disabled }: ChoicesProps) {
  if (choices.length < 2) return null;
  return (
    <fieldset className="stack gap-8" disabled={disabled}>
      <legend className="semibold">What to take back</legend>
      {choices.map((choice, index) => (
        <label key={choice.label} className="flex align-start">
          <input type="radio" name="undo-scope" checked={chosen === index} onChange={() => onChoose(index)} />
          <span>{choice.label}</span>
        </label>
      ))}
    </fieldset>
  );
}
