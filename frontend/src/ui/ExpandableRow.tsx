import { type ReactNode, useState } from "react";
import { ConfirmDialog, Losses } from "./ConfirmDialog";
import { Icon } from "./Icon";
import { Problem } from "./Notice";

interface ExpandableRowProps {
  name: string;
  about: ReactNode;
  testId: string;
  /** Shown at the end of the line, also while the row is closed. */
  aside?: ReactNode;
  note?: ReactNode;
  error: unknown;
  children: ReactNode;
}

/** A list row that opens to its details. */
export function ExpandableRow({ name, about, testId, aside, note, error, children }: ExpandableRowProps) {
  const [open, setOpen] = useState(false);
  return (
    <li className="list-row ruled" data-testid={testId}>
      <div className="list-line cluster gap-12 gap-y-4">
        <button
          type="button"
          className="list-toggle cluster gap-y-2"
          aria-expanded={open}
          onClick={() => setOpen((was) => !was)}
        >
          <Icon name="chevron" size={12} />
          <span className="list-name cluster gap-y-2 medium">{name}</span>
          {about}
        </button>
        {aside}
      </div>
      {note}
      {error !== null && <Problem error={error} />}
      {open && <div className="list-body stack gap-12">{children}</div>}
    </li>
  );
}

interface ConfirmButtonProps {
  /** Label of both buttons: "Remove". */
  verb: string;
  name: string;
  lost: string;
  busy: boolean;
  onConfirm: () => void;
}

/** A button that asks for confirmation and says what is lost. The row shows errors of the action. */
export function ConfirmButton({ verb, name, lost, busy, onConfirm }: ConfirmButtonProps) {
  const [asking, setAsking] = useState(false);
  return (
    <>
      <button type="button" className="button danger" disabled={busy} onClick={() => setAsking(true)}>
        {verb}…
      </button>
      <ConfirmDialog
        open={asking}
        title={`${verb} ${name}?`}
        verb={verb}
        onConfirm={onConfirm}
        onClose={() => setAsking(false)}
      >
        <Losses lost={lost} />
      </ConfirmDialog>
    </>
  );
}
