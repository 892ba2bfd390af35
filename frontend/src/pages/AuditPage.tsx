import "../styles/audit.css";
import { type ChangeEvent, useState } from "react";
import { ApiError } from "../api/http";
import { type AuditWish, auditFile, verifyAudit } from "../api/policies";
import type { AuditCheck, AuditEntry } from "../api/policyTypes";
import { plural } from "../lib/format";
import { visible, visibleLine } from "../lib/visible";
import { useAudit } from "../policies/queries";
import type { TeamTabProps } from "../team/tabs";
import { DiffView } from "../ui/DiffView";
import { Icon } from "../ui/Icon";
import { Problem, Skeleton } from "../ui/Notice";
import { useAction } from "../ui/useAction";
import { useSettled } from "../ui/useSettled";
import { actionWords } from "./auditWords";

const ABOUT = [
  "policy",
  "request",
  "grant",
  "call",
  "session",
  "workspace",
  "project",
  "member",
  "invitation",
  "token",
  "provider",
  "audit",
] as const;
const EVERYTHING: AuditWish = { action: "", text: "", since: "", until: "" };

export function AuditTab({ team }: TeamTabProps) {
  const teamId = team.id;
  const [wish, setWish] = useState(EVERYTHING);
  const audit = useAudit(teamId, useSettled(wish, 300));
  const entries = audit.data?.pages.flatMap((page) => page.items) ?? [];
  const isBarred = audit.error instanceof ApiError && audit.error.status === 403;
  const isNarrowed = Object.values(wish).some(Boolean);
  return (
    <>
      <p className="muted tab-intro">
        Every decision, answer, grant and change, in a chain that shows when it was tampered with. Of other
        people's private sessions it tells that something happened, not what.
      </p>
      {!isBarred && (
        <div className="tool-line">
          <Wishes wish={wish} onChange={(change) => setWish({ ...wish, ...change })} />
          <a className="button" href={auditFile(teamId, wish, "csv")} download>
            Export CSV
          </a>
          <a className="button" href={auditFile(teamId, wish, "jsonl")} download>
            Export JSON lines
          </a>
          <Verify teamId={teamId} />
        </div>
      )}
      {audit.error && <Problem error={audit.error} />}
      {audit.isPending && <Skeleton rows={8} label="Loading the audit log" />}
      {audit.data && entries.length === 0 && (
        <p className="empty-tab">
          {isNarrowed ? "Nothing that is recorded fits this." : "Nothing is recorded yet."}
        </p>
      )}
      {entries.length > 0 && (
        <ul className="rows audit">
          {entries.map((entry) => (
            <EntryRow key={entry.id} entry={entry} />
          ))}
        </ul>
      )}
      {audit.hasNextPage && (
        <button type="button" className="button" onClick={() => void audit.fetchNextPage()}>
          Show older entries
        </button>
      )}
    </>
  );
}

function Wishes({ wish, onChange }: { wish: AuditWish; onChange: (change: Partial<AuditWish>) => void }) {
  const field = (name: keyof AuditWish) => ({
    value: wish[name],
    onChange: (event: ChangeEvent<HTMLInputElement>) => onChange({ [name]: event.target.value }),
  });
  return (
    <>
      <label>
        Show{" "}
        <input aria-label="Action" list="audit-actions" placeholder="every action" {...field("action")} />
      </label>
      <datalist id="audit-actions">
        {ABOUT.map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
      <label>
        with <input aria-label="Text" type="search" placeholder="any text" {...field("text")} />
      </label>
      <label>
        from <input aria-label="First day" type="date" {...field("since")} />
      </label>
      <label>
        to <input aria-label="Last day" type="date" {...field("until")} />
      </label>
    </>
  );
}

function Verify({ teamId }: { teamId: string }) {
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
        {busy && "Computing every digest anew"}
        {!busy && check && <Verdict check={check} />}
      </div>
      {error !== null && <Problem error={error} />}
    </div>
  );
}

function Verdict({ check }: { check: AuditCheck }) {
  if (check.faults.length > 0) {
    return (
      <div className="chain-broken">
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
      <Icon name="check" size={14} /> {plural(check.entries, "entry", "entries")}, the chain is whole. Keep
      its head elsewhere: <code title={check.head}>{check.head.slice(0, 16)}</code>
    </p>
  );
}

function EntryRow({ entry }: { entry: AuditEntry }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <li data-testid="audit-entry" data-action={entry.action}>
      <button type="button" className="audit-row" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <span className="turner-cell">
          <span className={`turner ${isOpen ? "open" : ""}`}>
            <Icon name="chevron" size={12} />
          </span>
        </span>
        <span className="audit-action">{actionWords(entry.action)}</span>
        <span className="audit-about muted">
          {entry.private ? "in a private session" : visibleLine(aboutOf(entry))}
        </span>
        <span className="audit-actor">{entry.actor_name || "The site"}</span>
        <time className="muted number" dateTime={entry.at}>
          {new Date(entry.at).toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" })}
        </time>
      </button>
      {isOpen && (
        <dl className="arguments audit-data">
          <Fact name="entry" value={`${entry.seq}, ${entry.action}, digest ${entry.digest}`} />
          <Fact name="actor" value={entry.actor} />
          <Fact name="subject" value={entry.subject || "none"} />
          {Object.entries(entry.data).map(
            ([name, value]) =>
              name !== "diff" && (
                <Fact
                  key={name}
                  name={name}
                  value={typeof value === "string" ? value : JSON.stringify(value)}
                />
              ),
          )}
          {typeof entry.data.diff === "string" && (
            <div>
              <dt>diff</dt>
              <dd>
                <DiffView patch={entry.data.diff} path={`of entry ${entry.seq}`} />
              </dd>
            </div>
          )}
        </dl>
      )}
    </li>
  );
}

function Fact({ name, value }: { name: string; value: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{visible(value)}</dd>
    </div>
  );
}

const TELLING = ["title", "reason", "pattern", "command", "tool"] as const;

/** The one fact of an entry that says most. */
function aboutOf(entry: AuditEntry): string {
  for (const name of TELLING) {
    const value = entry.data[name];
    if (typeof value === "string" && value) return value;
  }
  return entry.subject;
}
