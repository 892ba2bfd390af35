import { useState } from "react";
import { ApiError } from "../api/http";
import { type AuditFilter, auditFile, verifyAudit } from "../api/policies";
import type { AuditCheck } from "../api/policyTypes";
import { useProjects } from "../app/queries";
import { plural } from "../lib/format";
import { useAudit } from "../policies/queries";
import { useMembers } from "../team/queries";
import type { TeamTabProps } from "../team/tabProps";
import { Icon } from "../ui/Icon";
import { Problem } from "../ui/Notice";
import { PagedList } from "../ui/PagedList";
import { useAction } from "../ui/useAction";
import { useDebounced } from "../ui/useDebounced";
import { AuditFilters, type Choice, NO_FILTER } from "./AuditFilters";
import { AuditRow } from "./AuditRow";
import type { Names } from "./auditNames";
import "./audit.css";

export function AuditTab({ team }: TeamTabProps) {
  const teamId = team.id;
  const [filter, setFilter] = useState(NO_FILTER);
  const changeFilter = (change: Partial<AuditFilter>) => setFilter({ ...filter, ...change });
  const people = usePeople(teamId);
  const projects = useProjectsOf(teamId);
  const names = namesOf([...people, ...projects, { id: teamId, name: team.name }]);
  const audit = useAudit(teamId, useDebounced(filter, 300));
  const isForbidden = audit.error instanceof ApiError && audit.error.status === 403;
  const isFiltered = Object.values(filter).some(Boolean);
  return (
    <>
      <p className="muted tab-intro">
        Every decision, answer, grant and change, in a hash chain that makes tampering detectable. For other
        people's private sessions it shows that something happened, but no details.
      </p>
      {!isForbidden && (
        <AuditFilters filter={filter} people={people} projects={projects} onChange={changeFilter} />
      )}
      {!isForbidden && (
        <div className="tool-line cluster gap-12 gap-y-8">
          <a className="button" href={auditFile(teamId, filter, "csv")} download>
            Export CSV
          </a>
          <a className="button" href={auditFile(teamId, filter, "jsonl")} download>
            Export JSON Lines
          </a>
          <VerifyButton teamId={teamId} />
        </div>
      )}
      <PagedList
        query={audit}
        className="ruled-top audit"
        loading="Loading the audit log"
        placeholders={8}
        empty={isFiltered ? "No entries match these filters." : "No entries yet."}
        more="Show older entries"
        canRetry={!isForbidden}
      >
        {(entry) => (
          <AuditRow key={entry.id} entry={entry} names={names} teamId={teamId} onFilter={changeFilter} />
        )}
      </PagedList>
    </>
  );
}

function usePeople(teamId: string): Choice[] {
  const members = useMembers(teamId);
  const rows = members.data?.pages.flatMap((page) => page.items) ?? [];
  return rows.map(({ user }) => ({ id: user.id, name: user.name || user.email }));
}

function useProjectsOf(teamId: string): Choice[] {
  const projects = useProjects();
  return (projects.data?.items ?? []).filter((project) => project.team_id === teamId);
}

const namesOf = (known: readonly Choice[]): Names =>
  Object.fromEntries(known.map(({ id, name }) => [id, name]));

function VerifyButton({ teamId }: { teamId: string }) {
  const { run, busy, error } = useAction();
  const [check, setCheck] = useState<AuditCheck | null>(null);
  return (
    <div className="verify">
      <button
        type="button"
        className="button"
        disabled={busy}
        onClick={() => void run(async () => setCheck(await verifyAudit(teamId)))}
      >
        <Icon name="shield" size={14} /> Verify the chain
      </button>
      <div role="status" data-testid="verified">
        {busy && "Recomputing every digest"}
        {!busy && check && <VerificationResult check={check} />}
      </div>
      {error !== null && <Problem error={error} />}
    </div>
  );
}

function VerificationResult({ check }: { check: AuditCheck }) {
  if (check.faults.length > 0) {
    return (
      <div className="chain-broken text-failed">
        <p>
          <Icon name="warning" size={14} /> The chain is broken in {plural(check.faults.length, "place")}.
        </p>
        <ul>
          {check.faults.map((fault) => (
            <li key={`${fault.seq} ${fault.problem}`} className="number">
              Entry {fault.seq}: {fault.problem}
            </li>
          ))}
        </ul>
      </div>
    );
  }
  if (check.entries === 0) return <p className="muted">There is nothing to verify yet.</p>;
  return (
    <p className="chain-whole number">
      <Icon name="check" size={14} /> {plural(check.entries, "entry", "entries")}, the chain is intact. Keep a
      copy of its head in another place: <code title={check.head}>{check.head.slice(0, 16)}</code>
    </p>
  );
}
