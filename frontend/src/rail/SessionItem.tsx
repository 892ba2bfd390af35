import { Link } from "wouter";
import type { SessionMark } from "../api/sessions";
import type { Me, Session } from "../api/types";
import { formatAgo } from "../lib/format";
import { shownName } from "../permissions/approvers";
import { SessionMenu } from "../sessions/SessionMenu";
import { PrivateMark } from "../together/PrivateMark";
import { SessionDot } from "../ui/StateDot";
import "./rail.css";

interface SessionItemProps {
  session: Session;
  depth: number;
  isCurrent: boolean;
  me: Me;
  own: SessionMark | undefined;
}

/** One session of the rail: state, title, who started it if it was somebody else, its age, and a menu. */
export function SessionItem({ session, depth, isCurrent, me, own }: SessionItemProps) {
  const by = session.created_by;
  const isOthers = by !== null && by.id !== me.user.id;
  const isUnread = !!own?.unread && !isCurrent;
  const labels = session.labels ?? [];
  return (
    <div className="session-item" data-unread={isUnread || undefined}>
      <Link
        href={`/sessions/${session.id}`}
        className="session-link line gap-10 muted"
        data-depth={Math.min(depth, 3) || undefined}
        aria-current={isCurrent ? "page" : undefined}
        title={
          labels.length > 0 ? `${session.title || "Untitled session"} (${labels.join(", ")})` : undefined
        }
      >
        <SessionDot status={session.status} />
        {isUnread && <span className="sr-only">Unread: </span>}
        {depth > 0 && <span className="sr-only">Sub-session: </span>}
        <PrivateMark sharedWith={session.shared_with} />
        <span className="ellipsis grow">{session.title || "Untitled session"}</span>
        {isOthers && <Starter name={shownName(by)} />}
        <time className="session-time small text-faint" dateTime={session.updated_at}>
          {formatAgo(session.updated_at).replace(" ago", "").replace("just now", "now")}
        </time>
      </Link>
      <SessionMenu session={session} own={own} />
    </div>
  );
}

/** Who started a session: the first letter on a disc, the name for assistive technology and on hover. */
function Starter({ name }: { name: string }) {
  return (
    <span className="starter no-shrink semibold" title={`Started by ${name}`}>
      <span aria-hidden="true">{name.slice(0, 1).toUpperCase()}</span>
      <span className="sr-only">by {name}</span>
    </span>
  );
}
