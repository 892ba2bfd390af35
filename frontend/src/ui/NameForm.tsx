import { type FormEvent, type ReactNode, useState } from "react";
import { FieldsProblem } from "./FieldsProblem";
import { TextField } from "./TextField";
import { useAction } from "./useAction";

interface NameFormProps {
  /** Label of the button: "Create team". */
  verb: string;
  label?: string;
  intro?: ReactNode;
  onName: (name: string) => Promise<void>;
  /** Adds a button that closes the dialog. */
  onClose?: () => void;
  children?: ReactNode;
}

/** A form that creates something with a name. */
export function NameForm({ verb, label = "Name", intro, onName, onClose, children }: NameFormProps) {
  const [name, setName] = useState("");
  const { run, busy, error } = useAction();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void run(() => onName(name));
  };
  return (
    <form className="confirm stack gap-16" onSubmit={submit}>
      {intro && <p className="muted">{intro}</p>}
      <TextField label={label} autoFocus required maxLength={120} value={name} onText={setName} />
      {children}
      {error !== null && <FieldsProblem error={error} />}
      <div className="flow end">
        {onClose && (
          <button type="button" className="button" onClick={onClose}>
            Cancel
          </button>
        )}
        <button type="submit" className="button primary" disabled={busy || !name.trim()}>
          {verb}
        </button>
      </div>
    </form>
  );
}
