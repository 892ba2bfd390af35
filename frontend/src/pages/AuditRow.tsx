import { type ReactNode, useState } from "react";
import { Link } from "wouter";
import type { AuditWish } from "../api/policies";
import type { AuditEntry } from "../api/policyTypes";
import { visible, visibleLine } from "../lib/visible";
import { DiffView } from "../ui/DiffView";
import { Icon } from "../ui/Icon";
import { actorOf, type Named, type Names, placeIn, projectOf, sessionOf, subjectOf } from "./auditNames";
import { actionWords } from "./auditWords";

interface AuditRowProps {
  entry: AuditEntry;
  names: Names;
  teamId: string;
  onNarrow: (change: Partial<AuditWish>) => void;
}

export function AuditRow({ entry, names, teamId, onNarrow }: AuditRowProps) {
  const [isOpen, setOpen] = useState(false);
  const subject = subjectOf(entry, names, teamId);
  const session = sessionOf(entry);
  return (
    <li data-testid="audit-entry" data-action={entry.action}>
      <button type="button" className="audit-row" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <span className="turner-cell">
          <span className={`turner ${isOpen ? "open" : ""}`}>
            <Icon name="chevron" size={12} />
          </span>
        </span>
        <span className="audit-action">{actionWords(entry.action)}</span>
        <span className="audit-about muted" title={entry.subject}>
          {entry.private ? "in a private session" : (tellingFact(entry) ?? subject?.label)}
        </span>
        <span className="audit-actor" title={entry.actor}>
          {actorOf(entry).label}
        </span>
        <time className="muted number" dateTime={entry.at}>
          {new Date(entry.at).toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" })}
        </time>
      </button>
      {isOpen && (
        <dl className="arguments audit-data">
          <Place name="person" at={actorOf(entry)} onNarrow={() => onNarrow({ actor: entry.actor })} />
          {subject && (
            <Place name="subject" at={subject} onNarrow={() => onNarrow({ subject: entry.subject })} />
          )}
          <Place name="session" at={session} />
          <Place
            name="project"
            at={projectOf(entry, names)}
            onNarrow={() => onNarrow({ project: entry.project })}
          />
          <Fact name="entry">{`${entry.seq}, ${entry.action}, digest ${entry.digest}`}</Fact>
          <Details
            data={session ? withoutSession(entry.data) : entry.data}
            seq={entry.seq}
            placeOf={(value) => placeIn(value, entry, names, teamId)}
          />
        </dl>
      )}
    </li>
  );
}

interface PlaceProps {
  name: string;
  at: Named | null;
  onNarrow?: () => void;
}

/** A name, linked to its page if there is one, with its id as tooltip. */
function Place({ name, at, onNarrow }: PlaceProps) {
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
      {onNarrow && (
        <button
          type="button"
          className="link audit-narrow"
          aria-label={`Filter by this: ${at.label}`}
          onClick={onNarrow}
        > Filter by this </button>
      )}
    </Fact>
  );
}

const withoutSession = ({ session: _, ...rest }: AuditEntry["data"]): AuditEntry["data"] => rest;

interface DetailsProps {
  data: AuditEntry["data"];
  seq: number;
  placeOf: (value: unknown) => Named | null;
}

function Details({ data, seq, placeOf }: DetailsProps) {
  const { diff, ...rest } = data;
  return (
    <>
      {Object.entries(rest).map(([key, value]) => {
        const name = key.replaceAll("_", " ");
        const at = placeOf(value);
        if (at) return <Place key={key} name={name} at={at} />;
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

const TELLING = ["title", "reason", "pattern", "command", "tool"] as const;

/** Returns the most informative value of an entry. */
function tellingFact(entry: AuditEntry): string | undefined {
  for (const name of TELLING) {
    const value = entry.data[name];
    if (typeof value === "string" && value) return visibleLine(value);
  }
  return undefined;
}
