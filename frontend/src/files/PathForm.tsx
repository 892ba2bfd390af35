import { type FormEvent, useState } from "react";
import { FieldsProblem } from "../ui/FieldsProblem";
import { TextField } from "../ui/TextField";
import { useAction } from "../ui/useAction";

interface PathFormProps {
  verb: string;
  label: string;
  initial: string;
  onPath: (path: string) => Promise<void>;
  onClose: () => void;
}

/** Asks for a path in the workspace. */
export function PathForm({ verb, label, initial, onPath, onClose }: PathFormProps) {
  const [path, setPath] = useState(initial);
  const { run, busy, error } = useAction();
  const wanted = path.trim().replace(/^\.?\/+/, "");
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void run(() => onPath(wanted));
  };
  return (
    <form className="confirm stack gap-16" onSubmit={submit}>
      <TextField label={label} autoFocus required maxLength={1000} value={path} onText={setPath} />
      <p className="muted small">
        Relative to the workspace. Missing folders are created; nothing is replaced.
      </p>
      {error !== null && <FieldsProblem error={error} />}
      <div className="flow end">
        <button type="button" className="button" onClick={onClose}>
          Cancel
        </button>
        <button type="submit" className="button primary" disabled={busy || !wanted || wanted === initial}>
          {verb}
        </button>
      </div>
    </form>
  );
}
