import { Link } from "wouter";
import { useTabTitle } from "../app/live";
import { useProjects, useSessions } from "../app/queries";
import { SessionRow } from "../app/SessionRow";
import { useWaiting } from "../app/waiting";
import { formatAgo } from "../lib/format";
import { PermissionCard } from "../permissions/PermissionCard";
import { QuestionCard } from "../permissions/QuestionCard";
import { Icon } from "../ui/Icon";
import { Problem, Skeleton } from "../ui/Notice";
import "./inbox.css";

/** Everything that waits for the person, in all projects: permission requests and questions, oldest first. */
export function InboxPage() {
  const waiting = useWaiting();
  const projects = useProjects();
  const others = useSessions("waiting");
  useTabTitle("Inbox", waiting.count);
  const names = new Map(projects.data?.items.map((project) => [project.id, project.name]));
  const mine = new Set([...waiting.requests, ...waiting.questions].map((item) => item.session_id));
  const elsewhere = (others.data?.items ?? []).filter((session) => !mine.has(session.id));
  const entries = [
    ...waiting.requests.map((request) => ({ kind: "request" as const, item: request })),
    ...waiting.questions.map((question) => ({ kind: "question" as const, item: question })),
  ].sort((a, b) => (a.item.created_at < b.item.created_at ? -1 : 1));
  return (
    <main className="plain-page full-width" id="main">
      <h1>Inbox</h1>
      {waiting.error !== null && <Problem error={waiting.error} />}
      {waiting.isPending && <Skeleton rows={4} label="Loading what waits for you" />}
      {!waiting.isPending && entries.length === 0 && (
        <p className="inbox-none muted">
          Nothing waits for you. Permission requests and questions of agents appear here, from all projects.
        </p>
      )}
      <ul className="inbox stack gap-16" aria-label="Waiting for you">
        {entries.map((entry) => (
          <li key={entry.item.id} data-testid="inbox-entry">
            <p className="inbox-from line small muted">
              <Link href={`/sessions/${entry.item.session_id}#${entry.item.id}`} className="link ellipsis">
                {entry.item.session_title || "Untitled session"}
              </Link>
              <span className="ellipsis">{names.get(entry.item.project_id)}</span>
              <time className="no-shrink push-end" dateTime={entry.item.created_at}>
                {formatAgo(entry.item.created_at)}
              </time>
            </p>
            {entry.kind === "request" ? (
              <PermissionCard request={entry.item} projectId={entry.item.project_id} canAct withoutKeys />
            ) : (
              <QuestionCard question={entry.item} projectId={entry.item.project_id} canAct withoutKeys />
            )}
          </li>
        ))}
      </ul>
      {elsewhere.length > 0 && (
        <section className="inbox-others" aria-label="Waiting for others">
          <h2 className="line muted">
            <Icon name="wait" size={14} /> Waiting for others
          </h2>
          <ul className="ruled-top">
            {elsewhere.map((session) => (
              <SessionRow key={session.id} session={session}>
                <span className="row-detail ellipsis muted">{names.get(session.project_id)}</span>
              </SessionRow>
            ))}
          </ul>
        </section>
      )}
    </main>
  );
}
