import { useStore } from "zustand";
import { listSessionPage, type SessionOwner, type SessionState } from "../api/sessions";
import type { Me, Session } from "../api/types";
import { keys, useChildren, useSession } from "../app/queries";
import { usePages } from "../lib/usePages";
import { Problem, Skeleton } from "../ui/Notice";
import { OptionList } from "../ui/OptionList";
import { filterStore, OWNER_LABELS, STATE_LABELS, setOwner, setState } from "./filter";
import { SessionItem } from "./SessionItem";
import { sessionTree } from "./sessionTree";
import "./rail.css";

interface SessionNavProps {
  projectId: string | null;
  current: string | undefined;
  me: Me;
}

/** The sessions of the project, or of all projects, with filters. Those of sub-agents are below the one on screen. */
export function SessionNav({ projectId, current, me }: SessionNavProps) {
  const chosen = useStore(filterStore);
  const filter = { project: projectId, ...chosen };
  const pages = usePages([...keys.sessionLists, "rail", filter], (cursor) =>
    listSessionPage(filter, me.user.id, cursor),
  );
  const family = useFamily(current);
  const listed = pages.data?.pages.flatMap((page) => page.items) ?? [];
  const known = chosen.state === "any" && chosen.owner === "team" ? [...listed, ...family] : listed;
  const shown = sessionTree(known);
  return (
    <nav className="session-list vertical grow" aria-label="Sessions">
      <header className="session-filters line gap-6 no-shrink">
        <h2 className="small muted grow">Sessions</h2>
        <select
          className="small"
          aria-label="Whose sessions"
          value={chosen.owner}
          onChange={(event) => setOwner(event.target.value as SessionOwner)}
        >
          <OptionList of={Object.entries(OWNER_LABELS)} />
        </select>
        <select
          className="small"
          aria-label="State of the sessions"
          value={chosen.state}
          onChange={(event) => setState(event.target.value as SessionState)}
        >
          <OptionList of={Object.entries(STATE_LABELS)} />
        </select>
      </header>
      <div className="session-scroll">
        {pages.isPending && <Skeleton rows={5} label="Loading sessions" />}
        {pages.error && <Problem error={pages.error} />}
        {pages.data && shown.length === 0 && <p className="empty">{emptyText(chosen.owner, chosen.state)}</p>}
        <ul>
          {shown.map(({ session, depth }) => (
            <li key={session.id}>
              <SessionItem session={session} depth={depth} isCurrent={session.id === current} me={me} />
            </li>
          ))}
        </ul>
        {pages.hasNextPage && (
          <button
            type="button"
            className="quiet-button session-more small muted"
            disabled={pages.isFetchingNextPage}
            onClick={() => void pages.fetchNextPage()}
          >
            Show older sessions
          </button>
        )}
      </div>
    </nav>
  );
}

const emptyText = (owner: SessionOwner, state: SessionState): string =>
  owner === "team" && state === "any" ? "No sessions yet." : "No sessions match.";

/** The session on screen with its sub-agents, as lists contain only sessions that people started. */
function useFamily(current: string | undefined): Session[] {
  const here = useSession(current).data;
  const root = here?.parent_id ?? current;
  const children = useChildren(root).data?.items ?? [];
  return here ? [here, ...children] : children;
}
