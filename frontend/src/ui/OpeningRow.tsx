import { type ReactNode, useState } from "react";
import { Dialog } from "./Dialog";
import { Icon } from "./Icon";
import { Problem } from "./Notice";

interface OpeningRowProps {
  name: string;
  about: ReactNode;
  testId: string;
  /** At the end of the line, open or not. */
  aside?: ReactNode;
  note?: ReactNode;
  error: unknown;
  children: ReactNode;
}

/** A row of a list that opens to everything about it. */
export function OpeningRow({ name, about, testId, aside, note, error, children }: OpeningRowProps) {
  const [open, setOpen] = useState(false);
  return (
    <li className="access-row" data-testid={testId}>
      <div className="access-line">
        <button
          type="button"
          className="access-name"
          aria-expanded={open}
          onClick={() => setOpen((was) => !was)}
        >
          <Icon name="chevron" size={12} />
          <span className="member-name">{name}</span>
          {about}
        </button>
        {aside}
      </div>
      {note}
      {error !== null && <Problem error={error} />}
      {open && <div className="access-body">{children}</div>}
    </li>
  );
}

interface AskingButtonProps {
  /** On both buttons: "Remove". */
  verb: string;
  name: string;
  lost: string;
  busy: boolean;
  onConfirm: () => void;
}

/** Says what is lost before it happens; what goes wrong then is told by the row. */
export function AskingButton({ verb, name, lost, busy, onConfirm }: AskingButtonProps) {
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
        <div className="confirm">
          <dl>
            <div>
              <dt>Lost</dt>
              <dd>{lost}</dd>
            </div>
          </dl>
          <div className="confirm-foot">
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
