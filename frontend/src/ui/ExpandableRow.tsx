import { type ReactNode, useState } from "react";
import { Dialog } from "./Dialog";
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
  const confirm = () => {
    setAsking(false);
    onConfirm();
  };
  return (
    <>
      <button type="button" className="button danger" disabled={busy} onClick={() => setAsking(true)}>
        {verb}…
      </button>
      <Dialog open={asking} onClose={() => setAsking(false)} title={`${verb} ${name}?`}>
        <div className="confirm stack gap-16">
          <dl>
            <div>
              <dt>Lost</dt>
              <dd>{lost}</dd>
            </div>
          </dl>
          <div className="flow end">
            <button type="button" className="button" onClick={() => setAsking(false)}>
              Cancel
            </button>
            <button type="button" className="button danger" disabled={busy} onClick={confirm}>
              {verb}
            </button>
          </div>
        </div>
      </Dialog>
    </>
  );
}
