import { Link } from "wouter";
import { endOperatorAccess, listOperatorAccesses, type OperatorAccess } from "../api/together";
import { plural } from "../lib/format";
import { usePages } from "../lib/usePages";
import { visibleLine } from "../lib/visible";
import { shownName } from "../permissions/approvers";
import type { TeamTabProps } from "../team/tabProps";
import { Problem } from "../ui/Notice";
import { PagedList } from "../ui/PagedList";
import { useAction } from "../ui/useAction";
import "./TeamSharing.css";

/** Operators who read, or can read, sessions of the team, and their reasons. */
export function OperatorAccesses({ team }: TeamTabProps) {
  const accesses = usePages(["operator-accesses", team.id], (cursor) =>
    listOperatorAccesses(team.id, cursor),
  );
  return (
    <section aria-label="Operator access">
      <h2 className="sharing-title">Operator access</h2>
      <p className="muted tab-intro">
        Operators of the site cannot see conversations. To read a session, an operator must record a reason,
        and then has access to that session for at most one hour.
      </p>
      <PagedList
        query={accesses}
        label="Operator access"
        loading="Loading operator access"
        placeholders={2}
        empty="No operator has accessed a session of this team."
        more="Show older entries"
      >
        {(row) => <AccessRow key={row.id} row={row} onEnded={() => void accesses.refetch()} />}
      </PagedList>
    </section>
  );
}

function AccessRow({ row, onEnded }: { row: OperatorAccess; onEnded: () => void }) {
  const { run, busy, error } = useAction();
  const end = () =>
    void run(async () => {
      await endOperatorAccess(row.id);
      onEnded();
    });
  return (
    <li className="list-row ruled" data-testid="operator-access">
      <div className="list-line cluster gap-12 gap-y-4">
        <span className="sharing-what stack gap-2 break-anywhere">
          <span className="cluster gap-y-2 medium">
            {row.operator ? shownName(row.operator) : "Former operator"}
          </span>
          <span>{visibleLine(row.reason)}</span>
          <span className="muted number">
            <Link href={`/sessions/${row.session_id}`} className="link" title={row.session_id}>
              The session
            </Link>{" "}
            · {timeText(row)} · read {plural(row.readings, "time")}
          </span>
        </span>
        {row.alive && (
          <span className="flow">
            <button type="button" className="button danger" disabled={busy} onClick={end}>
              End access now
            </button>
          </span>
        )}
      </div>
      {error !== null && <Problem error={error} />}
    </li>
  );
}

const formatTime = (time: string): string =>
  new Date(time).toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" });

function timeText({ alive, expires_at, revoked_at }: OperatorAccess): string {
  if (alive) return `until ${formatTime(expires_at)}`;
  return revoked_at ? `ended ${formatTime(revoked_at)}` : `expired ${formatTime(expires_at)}`;
}
