import type { ReactNode } from "react";
import { Dialog } from "./Dialog";
import { FieldsProblem } from "./FieldsProblem";
import { Icon, type IconName } from "./Icon";
import { useAction } from "./useAction";

interface ConfirmDialogProps {
  open: boolean;
  title: string;
  /** Label of the button that confirms: "Remove". */
  verb: string;
  icon?: IconName;
  isDangerous?: boolean;
  onConfirm: () => unknown;
  onClose: () => void;
  /** What happens, as text or as `Losses`. */
  children: ReactNode;
}

/** A dialog that asks before an action. It closes when the action has succeeded, and shows why it failed. */
export function ConfirmDialog({ open, title, onClose, ...question }: ConfirmDialogProps) {
  return (
    <Dialog open={open} onClose={onClose} title={title}>
      <Question onClose={onClose} {...question} />
    </Dialog>
  );
}

type QuestionProps = Omit<ConfirmDialogProps, "open" | "title">;

function Question({ verb, icon, isDangerous = true, onConfirm, onClose, children }: QuestionProps) {
  const { run, busy, error } = useAction();
  const confirm = async () => {
    const done = await run(async () => {
      await onConfirm();
    });
    if (done) onClose();
  };
  return (
    <div className="confirm stack gap-16" data-testid="confirm">
      {children}
      {error !== null && <FieldsProblem error={error} />}
      <div className="flow end">
        <button type="button" className="button" onClick={onClose}>
          Cancel
        </button>
        <button
          type="button"
          className={`button ${isDangerous ? "danger" : "primary"}`}
          disabled={busy}
          onClick={() => void confirm()}
        >
          {icon && <Icon name={icon} size={14} />} {verb}
        </button>
      </div>
    </div>
  );
}

/** What an action destroys and what it leaves. */
export function Losses({
  lost,
  kept,
  children,
}: {
  lost: ReactNode;
  kept?: ReactNode;
  children?: ReactNode;
}) {
  return (
    <dl>
      <Consequence name="Lost">{lost}</Consequence>
      {kept && <Consequence name="Kept">{kept}</Consequence>}
      {children}
    </dl>
  );
}

export function Consequence({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
