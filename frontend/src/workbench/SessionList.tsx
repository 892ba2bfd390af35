import { Link } from "wouter";
import type { Session } from "../api/types";
import { useKeys } from "../app/keys";
import { useNewSession } from "../app/newSession";
import { useProject, useProjectSessions } from "../app/queries";
import { formatAgo } from "../lib/format";
import { Icon } from "../ui/Icon";
import { Problem, Skeleton } from "../ui/Notice";
import { SessionDot } from "../ui/StateDot";

interface SessionListProps {
  projectId: string | undefined;
  current?: string;
  workspaceId?: string;
}

export function SessionList({ projectId, current, workspaceId }: SessionListProps) {
  const project = useProject(projectId).data;
  const sessions = useProjectSessions(projectId);
  const { create, busy, error } = useNewSession(projectId);
  const here = () => void create(workspaceId ? { workspace_id: workspaceId } : {});
  useKeys({ n: here });
  const shown = sessions.data?.items.filter((session) => !session.archived || session.id === current);
  return (
    <nav className="session-list" aria-label="Sessions of the project">
      <header className="session-list-head">
        {projectId && (
          <Link href={`/projects/${projectId}`} className="session-list-project">
            {project?.name ?? "Project"}
          </Link>
        )}
        <div className="new-session">
          <button
            type="button"
            className="button new-session-main"
            disabled={busy || !projectId}
            onClick={here}
          >
            <Icon name="plus" /> New session
          </button>
          <button
            type="button"
            className="button new-session-fresh"
            disabled={busy || !projectId}
            aria-label="New session in a fresh workspace"
            title="In a fresh workspace: the project as it was at the start"
            onClick={() => void create({ new_workspace: true })}
          >
            Fresh
          </button>
        </div>
      </header>
      {error !== null && <Problem error={error} />}
      {sessions.isPending && <Skeleton rows={5} label="Loading sessions" />}
      {sessions.error && <Problem error={sessions.error} />}
      {shown?.length === 0 && <p className="empty">No sessions yet. Start one above.</p>}
      <ul>
        {shown?.map((session) => (
          <li key={session.id}>
            <SessionLink session={session} isCurrent={session.id === current} />
          </li>
        ))}
      </ul>
    </nav>
  );
}

function SessionLink({ session, isCurrent }: { session: Session; isCurrent: boolean }) {
  return (
    <Link
      href={`/sessions/${session.id}`}
      className="session-link"
      aria-current={isCurrent ? "page" : undefined}
    >
      <SessionDot status={session.status} />
      <span className="session-title">{session.title || "Untitled session"}</span>
      <time className="session-time" dateTime={session.updated_at}>
        {formatAgo(session.updated_at).replace(" ago", "").replace("just now", "now")}
      </time>
    </Link>
  );
}
