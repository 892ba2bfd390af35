import type { ReactNode } from "react";
import { Link } from "wouter";
import type { Session } from "../api/types";
import { formatAgo } from "../lib/format";
import { PrivateMark } from "../together/PrivateMark";
import { SessionDot } from "../ui/StateDot";

interface SessionRowProps {
  session: Session;
  /** More to show in the row. */
  children?: ReactNode;
}

/** A session in a list: state, title and time of the last change. */
export function SessionRow({ session, children }: SessionRowProps) {
  return (
    <li>
      <Link href={`/sessions/${session.id}`} className="row line gap-12 ruled">
        <span className="row-icon">
          <SessionDot status={session.status} />
        </span>
        <PrivateMark sharedWith={session.shared_with} />
        <span className="ellipsis grow medium">{session.title || "Untitled session"}</span>
        {children}
        <time className="row-time muted" dateTime={session.updated_at}>
          {formatAgo(session.updated_at)}
        </time>
      </Link>
    </li>
  );
}
