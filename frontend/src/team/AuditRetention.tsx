import { useQuery, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { readAuditRetention, setAuditRetention } from "../api/policies";
import type { AuditRetention as Retention } from "../api/policyTypes";
import { isAdmin } from "../permissions/approvers";
import { Dialog } from "../ui/Dialog";
import { FieldsProblem } from "../ui/FieldsProblem";
import { Problem, Skeleton } from "../ui/Notice";
import { useAction } from "../ui/useAction";
import type { Team } from "./tabs";

const SHORTEST = 30;
const keyOf = (teamId: string) => ["audit", teamId, "retention"];

/** How long the team's audit log is kept: for admins to read, for owners to choose. */
export function AuditRetention({ team }: { team: Team }) {
  const retention = useQuery({
    queryKey: keyOf(team.id),
    queryFn: () => readAuditRetention(team.id),
    enabled: isAdmin(team.role),
  });
  if (!isAdmin(team.role)) return null;
  return (
    <section className="settings-section" aria-label="How long the audit log is kept">
      <h2>How long the audit log is kept</h2>
      {retention.isPending && <Skeleton rows={2} label="Loading how long it is kept" />}
      {retention.error && <Problem error={retention.error} />}
      {retention.data && <InForce retention={retention.data} />}
      {retention.data && team.role === "owner" && !team.remove_at && (
        <Choose key={retention.data.days ?? "always"} team={team} retention={retention.data} />
      )}
    </section>
  );
}

function InForce({ retention }: { retention: Retention }) {
  const { days, in_force, cut_seq } = retention;
  return (
    <p className="muted">
      {in_force === null ? "Entries are kept for good." : `Entries are kept for ${in_force} days.`}
      {in_force !== null &&
        in_force !== days &&
        " That is the limit of the site, which holds for every team."}
      {cut_seq > 0 && ` Entries up to number ${cut_seq} were deleted; those after them still verify.`}
    </p>
  );
}

function Choose({ team, retention }: { team: Team; retention: Retention }) {
  const [text, setText] = useState(retention.days === null ? "" : String(retention.days));
  const [asking, setAsking] = useState(false);
  const { run, busy, error, clear } = useAction();
  const queries = useQueryClient();
  const days = text.trim() ? Number(text) : null;
  const save = () =>
    run(async () => {
      queries.setQueryData(keyOf(team.id), await setAuditRetention(team.id, days));
    });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    clear();
    if (isShorter(days, retention.in_force)) setAsking(true);
    else void save();
  };
  const confirm = async () => {
    await save();
    setAsking(false);
  };
  return (
    <form className="settings-form" onSubmit={submit} aria-label="Keep the audit log">
      <label className="field">
        <span>Days</span>
        <input
          type="number"
          min={SHORTEST}
          max={36_500}
          step={1}
          placeholder="as long as the site keeps them"
          aria-describedby="audit-days-hint"
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
        <small className="muted" id="audit-days-hint">
          At least {SHORTEST}. Leave it empty to keep entries as long as the site does.
        </small>
      </label>
      {error !== null && <FieldsProblem error={error} />}
      <button type="submit" className="button" disabled={busy || days === retention.days}>
        Change
      </button>
      <Dialog open={asking} onClose={() => setAsking(false)} title="Delete older entries?">
        <Shorten days={days ?? 0} busy={busy} onCancel={() => setAsking(false)} onConfirm={confirm} />
      </Dialog>
    </form>
  );
}

interface ShortenProps {
  days: number;
  busy: boolean;
  onCancel: () => void;
  onConfirm: () => Promise<void>;
}

function Shorten({ days, busy, onCancel, onConfirm }: ShortenProps) {
  return (
    <div className="confirm">
      <dl>
        <div>
          <dt>Lost</dt>
          <dd>
            Every entry older than {days} days, for good, within the hour; and from then on each entry when it
            is that old. Export the log first if you need them.
          </dd>
        </div>
        <div>
          <dt>Kept</dt>
          <dd>
            All newer entries. Their chain still verifies: the site seals the number and the digest of the
            last entry that went. That entries were deleted, and who chose it, is recorded.
          </dd>
        </div>
        <div>
          <dt>Not provable</dt>
          <dd>
            What the deleted entries said. A head that you kept from before the cut is not found any more.
          </dd>
        </div>
      </dl>
      <div className="confirm-foot">
        <button type="button" className="button" onClick={onCancel}>
          Cancel
        </button>
        <button type="button" className="button danger" disabled={busy} onClick={() => void onConfirm()}>
          Delete entries older than {days} days
        </button>
      </div>
    </div>
  );
}

/** Null is for good. */
const isShorter = (days: number | null, now: number | null): boolean =>
  days !== null && (now === null || days < now);
