import { useQuery, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { readAuditRetention, setAuditRetention } from "../api/policies";
import type { AuditRetention as Retention } from "../api/policyTypes";
import { isAdmin } from "../permissions/approvers";
import { ConfirmDialog, Consequence, Losses } from "../ui/ConfirmDialog";
import { FieldsProblem } from "../ui/FieldsProblem";
import { Problem, Skeleton } from "../ui/Notice";
import { TextField } from "../ui/TextField";
import { useAction } from "../ui/useAction";
import type { Team } from "./tabProps";

const MIN_DAYS = 30;
const keyOf = (teamId: string) => ["audit", teamId, "retention"];

/** Retention of the team's audit log. Admins see it, owners change it. */
export function AuditRetention({ team }: { team: Team }) {
  const retention = useQuery({
    queryKey: keyOf(team.id),
    queryFn: () => readAuditRetention(team.id),
    enabled: isAdmin(team.role),
  });
  if (!isAdmin(team.role)) return null;
  return (
    <section className="settings-section stack items-start ruled-top" aria-label="Audit log retention">
      <h2>Audit log retention</h2>
      {retention.isPending && <Skeleton rows={2} label="Loading the retention" />}
      {retention.error && <Problem error={retention.error} />}
      {retention.data && <CurrentRetention retention={retention.data} />}
      {retention.data && team.role === "owner" && !team.remove_at && (
        <RetentionForm key={retention.data.days ?? "always"} team={team} retention={retention.data} />
      )}
    </section>
  );
}

function CurrentRetention({ retention }: { retention: Retention }) {
  const { days, in_force, cut_seq } = retention;
  return (
    <p className="muted">
      {in_force === null ? "Entries are kept forever." : `Entries are kept for ${in_force} days.`}
      {in_force !== null &&
        in_force !== days &&
        " This is the limit of the site, which applies to every team."}
      {cut_seq > 0 && ` Entries up to number ${cut_seq} were deleted. Later entries can still be verified.`}
    </p>
  );
}

function RetentionForm({ team, retention }: { team: Team; retention: Retention }) {
  const [text, setText] = useState(retention.days === null ? "" : String(retention.days));
  const [asking, setAsking] = useState(false);
  const { run, busy, error, clear } = useAction();
  const queries = useQueryClient();
  const days = text.trim() ? Number(text) : null;
  const save = async () => {
    queries.setQueryData(keyOf(team.id), await setAuditRetention(team.id, days));
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    clear();
    if (isShorter(days, retention.in_force)) setAsking(true);
    else void run(save);
  };
  return (
    <form
      className="settings-form stack items-start gap-16"
      onSubmit={submit}
      aria-label="Change audit log retention"
    >
      <TextField
        label="Days"
        hint={`At least ${MIN_DAYS}. Leave empty to use the site's retention.`}
        type="number"
        min={MIN_DAYS}
        max={36_500}
        step={1}
        placeholder="site default"
        value={text}
        onText={setText}
      />
      {error !== null && <FieldsProblem error={error} />}
      <button type="submit" className="button" disabled={busy || days === retention.days}>
        {" "}
        Save{" "}
      </button>
      <ConfirmDialog
        open={asking}
        title="Delete older entries?"
        verb={`Delete entries older than ${days} days`}
        onConfirm={save}
        onClose={() => setAsking(false)}
      >
        <Losses
          lost={`All entries older than ${days} days are permanently deleted within an hour, and later entries once they are that old. Export the log first if you need them.`}
          kept="All newer entries. Their chain can still be verified, because the site keeps the number and digest of the last deleted entry. The deletion, and who chose it, is recorded."
        >
          <Consequence name="Not provable">
            The content of deleted entries. Heads of the chain that you saved for deleted entries are no
            longer found.
          </Consequence>
        </Losses>
      </ConfirmDialog>
    </form>
  );
}

/** Whether `days` is shorter than `now`; null means forever. */
const isShorter = (days: number | null, now: number | null): boolean =>
  days !== null && (now === null || days < now);
