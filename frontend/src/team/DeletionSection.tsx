import { useQuery } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { cancelDeletion, type Deletion, readDeletion, requestDeletion } from "../api/teams";
import { plural } from "../lib/format";
import { Losses } from "../ui/ConfirmDialog";
import { Dialog } from "../ui/Dialog";
import { FieldsProblem } from "../ui/FieldsProblem";
import { Icon } from "../ui/Icon";
import { Problem, Skeleton } from "../ui/Notice";
import { TextField } from "../ui/TextField";
import { useAction } from "../ui/useAction";

interface DeletionSectionProps {
  /** Id of a team or project. */
  id: string;
  name: string;
  kind: "team" | "project";
  removeAt: string | null;
  refresh: () => Promise<void>;
}

/** Deletion of a team or project, and its cancellation during the grace period. */
export function DeletionSection({ id, name, kind, removeAt, refresh }: DeletionSectionProps) {
  const [asking, setAsking] = useState(false);
  const { run, busy, error } = useAction();
  const cancel = () =>
    void run(async () => {
      await cancelDeletion(id);
      await refresh();
    });
  return (
    <section className="settings-section stack items-start ruled-top" aria-label={`Delete this ${kind}`}>
      <h2>{removeAt ? `This ${kind} is being deleted` : `Delete this ${kind}`}</h2>
      <p className="muted">
        {removeAt
          ? `It will be deleted on ${dayOf(removeAt)}. Until then you can cancel the deletion, which also restores its workspaces.`
          : "It is deactivated at once. You can cancel the deletion during the grace period."}
      </p>
      {error !== null && <Problem error={error} />}
      {removeAt ? (
        <button type="button" className="button" disabled={busy} onClick={cancel}>
          {" "}
          Cancel deletion{" "}
        </button>
      ) : (
        <button type="button" className="button danger" onClick={() => setAsking(true)}>
          <Icon name="trash" size={14} /> Delete…
        </button>
      )}
      <Dialog open={asking} onClose={() => setAsking(false)} title={`Delete ${name}?`}>
        <ConfirmDeletion id={id} name={name} kind={kind} refresh={refresh} onClose={() => setAsking(false)} />
      </Dialog>
    </section>
  );
}

type ConfirmProps = Omit<DeletionSectionProps, "removeAt"> & { onClose: () => void };

function ConfirmDeletion({ id, name, kind, refresh, onClose }: ConfirmProps) {
  const loss = useQuery({ queryKey: ["deletion", id], queryFn: () => readDeletion(id), staleTime: 0 });
  const [typed, setTyped] = useState("");
  const { run, busy, error } = useAction();
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const done = await run(async () => {
      await requestDeletion(id, typed);
      await refresh();
    });
    if (done) onClose();
  };
  return (
    <form className="confirm stack gap-16" onSubmit={submit}>
      {loss.isPending && <Skeleton rows={2} label="Loading what is lost" />}
      {loss.error && <Problem error={loss.error} />}
      {loss.data && (
        <Losses
          lost={lossText(loss.data, kind)}
          kept={`Until ${dayOf(loss.data.remove_at)} you can cancel the deletion. Everything that runs now is stopped.`}
        />
      )}
      <TextField
        label={`Type “${name}” to confirm`}
        autoFocus
        required
        autoComplete="off"
        value={typed}
        onText={setTyped}
      />
      {error !== null && <FieldsProblem error={error} />}
      <div className="flow end">
        <button type="button" className="button" onClick={onClose}>
          Cancel
        </button>
        <button type="submit" className="button danger" disabled={busy || typed.trim() !== name}>
          <Icon name="trash" size={14} /> Delete
        </button>
      </div>
    </form>
  );
}

const dayOf = (time: string): string => new Date(time).toLocaleDateString(undefined, { dateStyle: "medium" });

function lossText(loss: Deletion, kind: "team" | "project"): string {
  const things = [plural(loss.workspaces, "workspace"), plural(loss.sessions, "session")];
  const whole = kind === "team" ? [plural(loss.projects, "project"), ...things] : things;
  const people = kind === "team" ? ` ${plural(loss.members, "member")} lose access.` : "";
  return `${whole.join(", ")}, with all their files and conversations.${people}`;
}
