import { type ReactNode, useState } from "react";
import { Link } from "wouter";
import type { AuditFilter } from "../api/policies";
import type { AuditEntry } from "../api/policyTypes";
import { visible, visibleLine } from "../lib/visible";
import { Chevron } from "../ui/Chevron";
import { DiffView } from "../ui/DiffView";
import { entryLabel } from "./auditLabels";
import {
  actorOf,
  type NamedReference,
  type Names,
  projectOf,
  referenceIn,
  sessionOf,
  subjectOf,
} from "./auditNames";
import "./audit.css";

interface AuditRowProps {
  entry: AuditEntry;
  names: Names;
  teamId: string;
  onFilter: (change: Partial<AuditFilter>) => void;
}

export function AuditRow({ entry, names, teamId, onFilter }: AuditRowProps) {
  const [isOpen, setOpen] = useState(false);
  const subject = subjectOf(entry, names, teamId);
  const session = sessionOf(entry);
  return (
    <li className="ruled" data-testid="audit-entry" data-action={entry.action}>
      <button
        type="button"
        className="audit-row line gap-12 full-width"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        <span>
          <Chevron open={isOpen} />
        </span>
        <span className="audit-action no-shrink medium">{entryLabel(entry.action, entry.data)}</span>
        <span className="audit-about ellipsis grow muted" title={entry.subject}>
          {entry.private ? "in a private session" : (summaryValue(entry) ?? subject?.label)}
        </span>
        <span className="audit-actor" title={entry.actor}>
          {actorOf(entry).label}
        </span>
        <time className="muted number" dateTime={entry.at}>
          {new Date(entry.at).toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" })}
        </time>
      </button>
      {isOpen && (
        <dl className="fact-list audit-data">
          <Reference name="person" at={actorOf(entry)} onFilter={() => onFilter({ actor: entry.actor })} />
          {subject && (
            <Reference name="subject" at={subject} onFilter={() => onFilter({ subject: entry.subject })} />
          )}
          <Reference name="session" at={session} />
          <Reference
            name="project"
            at={projectOf(entry, names)}
            onFilter={() => onFilter({ project: entry.project })}
          />
          <Fact name="entry">{`${entry.seq}, ${entry.action}, digest ${entry.digest}`}</Fact>
          <EntryData
            data={session ? withoutSession(entry.data) : entry.data}
            seq={entry.seq}
            placeOf={(value) => referenceIn(value, entry, names, teamId)}
          />
        </dl>
      )}
    </li>
  );
}

interface ReferenceProps {
  name: string;
  at: NamedReference | null;
  onFilter?: () => void;
}

/** A name, linked to its page if there is one, with its id as tooltip. */
function Reference({ name, at, onFilter }: ReferenceProps) {
  if (!at) return null;
  return (
    <Fact name={name}>
      {at.href ? (
        <Link href={at.href} className="link" title={at.id}>
          {at.label}
        </Link>
      ) : (
        <span title={at.id}>{at.label}</span>
      )}
      {onFilter && (
        <button
          type="button"
          className="link audit-narrow"
          aria-label={`Filter by this: ${at.label}`}
          onClick={onFilter}
        >
          {" "}
          Filter by this{" "}
        </button>
      )}
    </Fact>
  );
}

const withoutSession = ({ session: _, ...rest }: AuditEntry["data"]): AuditEntry["data"] => rest;

interface EntryDataProps {
  data: AuditEntry["data"];
  seq: number;
  placeOf: (value: unknown) => NamedReference | null;
}

function EntryData({ data, seq, placeOf }: EntryDataProps) {
  const { diff, ...rest } = data;
  return (
    <>
      {Object.entries(rest).map(([key, value]) => {
        const name = key.replaceAll("_", " ");
        const at = placeOf(value);
        if (at) return <Reference key={key} name={name} at={at} />;
        return (
          <Fact key={key} name={name}>
            {visible(typeof value === "string" ? value : JSON.stringify(value))}
          </Fact>
        );
      })}
      {typeof diff === "string" && (
        <Fact name="diff">
          <DiffView patch={diff} path={`of entry ${seq}`} />
        </Fact>
      )}
    </>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

const SUMMARY_KEYS = ["title", "reason", "pattern", "command", "tool"] as const;

/** Returns the most informative value of an entry. */
function summaryValue(entry: AuditEntry): string | undefined {
  for (const name of SUMMARY_KEYS) {
    const value = entry.data[name];
    if (typeof value === "string" && value) return visibleLine(value);
  }
  return undefined;
}
