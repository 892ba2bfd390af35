import { type FormEvent, useState } from "react";
import type { Session } from "../api/types";
import { Dialog } from "../ui/Dialog";
import { FieldsProblem } from "../ui/FieldsProblem";
import { TextField } from "../ui/TextField";
import { useAction } from "../ui/useAction";

interface EditSessionProps {
  session: Session;
  mayRename: boolean;
  onSave: (change: { title?: string; labels: string[] }) => Promise<void>;
  onClose: () => void;
}

/** Splits what was typed at commas. */
export const labelsIn = (text: string): string[] =>
  text
    .split(",")
    .map((label) => label.trim())
    .filter(Boolean);

/** The dialog for the title and the labels of a session. */
export function EditSession({ session, mayRename, onSave, onClose }: EditSessionProps) {
  const [title, setTitle] = useState(session.title);
  const [labels, setLabels] = useState((session.labels ?? []).join(", "));
  const { run, busy, error } = useAction();
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const isRenamed = mayRename && title.trim() !== "" && title.trim() !== session.title;
    const change = { labels: labelsIn(labels), ...(isRenamed ? { title: title.trim() } : {}) };
    if (await run(() => onSave(change))) onClose();
  };
  return (
    <Dialog open onClose={onClose} title="Rename and label">
      <form className="confirm stack gap-16" onSubmit={(event) => void submit(event)}>
        <TextField label="Title" maxLength={200} readOnly={!mayRename} value={title} onText={setTitle} />
        <TextField label="Labels" hint="Separated by commas" value={labels} onText={setLabels} />
        {error !== null && <FieldsProblem error={error} />}
        <div className="flow end">
          <button type="button" className="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" className="button primary" disabled={busy}>
            Save
          </button>
        </div>
      </form>
    </Dialog>
  );
}
