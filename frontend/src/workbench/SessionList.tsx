import { Link } from "wouter";
import type { Session } from "../api/types";
import { useAltKeys } from "../app/keys";
import { useNewSession } from "../app/newSession";
import { useMayStart } from "../app/person";
import { useChildren, useProject, useProjectSessions, useSession } from "../app/queries";
import { formatAgo } from "../lib/format";
import { PrivateChoice } from "../together/PrivateChoice";
import { PrivateMark } from "../together/PrivateMark";
import { Icon } from "../ui/Icon";
import { Problem, Skeleton } from "../ui/Notice";
import { SessionDot } from "../ui/StateDot";
import { sessionTree } from "./sessionTree";
import "./SessionList.css";

interface SessionListProps {
  projectId: string | undefined;
  current?: string;
  workspaceId?: string;
}

export function SessionList({ projectId, current, workspaceId }: SessionListProps) {
  const project = useProject(projectId).data;
  const sessions = useProjectSessions(projectId);
  const mayStart = useMayStart(projectId);
  const family = useFamily(current);
  const known = [...(sessions.data?.items ?? []), ...family].filter(
    (session) => !session.archived || session.id === current,
  );
  const shown = sessionTree(known);
  return (
    <nav className="session-list vertical" aria-label="Sessions of the project">
      <header className="session-list-head stack">
        {projectId && (
          <Link href={`/projects/${projectId}`} className="session-list-project ellipsis semibold">
            {project?.name ?? "Project"}
          </Link>
        )}
        {mayStart && <NewSessionBar projectId={projectId} workspaceId={workspaceId} />}
      </header>
      {sessions.isPending && <Skeleton rows={5} label="Loading sessions" />}
      {sessions.error && <Problem error={sessions.error} />}
      {sessions.data && shown.length === 0 && (
        <p className="empty">No sessions yet.{mayStart && " Start one above."}</p>
      )}
      <ul>
        {shown.map(({ session, depth }) => (
          <li key={session.id}>
            <SessionLink session={session} depth={depth} isCurrent={session.id === current} />
          </li>
        ))}
      </ul>
    </nav>
  );
}

interface NewSessionBarProps {
  projectId: string | undefined;
  workspaceId: string | undefined;
}

function NewSessionBar({ projectId, workspaceId }: NewSessionBarProps) {
  const { create, busy, error, isPrivate, setPrivate } = useNewSession(projectId);
  const here = () => void create(workspaceId ? { workspace_id: workspaceId } : {});
  useAltKeys({ n: here });
  return (
    <>
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
          className="button new-session-fresh muted"
          disabled={busy || !projectId}
          aria-label="New session in a new workspace"
          title="In a new workspace, with the project's initial files"
          onClick={() => void create({ new_workspace: true })}
        >
          {" "}
          New workspace{" "}
        </button>
      </div>
      <PrivateChoice checked={isPrivate} onChange={setPrivate} />
      {error !== null && <Problem error={error} />}
    </>
  );
}

/** The session on screen with its sub-agents, as project lists contain only sessions that people started. */
function useFamily(current: string | undefined): Session[] {
  const here = useSession(current).data;
  const root = here?.parent_id ?? current;
  const children = useChildren(root).data?.items ?? [];
  return here ? [here, ...children] : children;
}

interface SessionLinkProps {
  session: Session;
  depth: number;
  isCurrent: boolean;
}

function SessionLink({ session, depth, isCurrent }: SessionLinkProps) {
  return (
    <Link
      href={`/sessions/${session.id}`}
      className="session-link line gap-10 muted"
      data-depth={Math.min(depth, 3) || undefined}
      aria-current={isCurrent ? "page" : undefined}
    >
      <SessionDot status={session.status} />
      {depth > 0 && <span className="sr-only">Sub-session: </span>}
      <PrivateMark sharedWith={session.shared_with} />
      <span className="ellipsis grow">{session.title || "Untitled session"}</span>
      <time className="session-time small text-faint" dateTime={session.updated_at}>
        {formatAgo(session.updated_at).replace(" ago", "").replace("just now", "now")}
      </time>
    </Link>
  );
}
