// Orders sessions as a tree: sub-agents and forks below the session they come from.
import type { Session } from "../api/types";

export interface Placed {
  session: Session;
  depth: number;
}

/** Returns each session once, in order, followed by those that come from it. */
export function sessionTree(sessions: readonly Session[]): Placed[] {
  const known = new Map(sessions.map((session) => [session.id, session]));
  const placed: Placed[] = [];
  const add = (session: Session, depth: number) => {
    placed.push({ session, depth });
    for (const child of known.values()) if (child.parent_id === session.id) add(child, depth + 1);
  };
  for (const session of known.values()) {
    if (!session.parent_id || !known.has(session.parent_id)) add(session, 0);
  }
  return placed;
}
