import { type KeyboardEvent, useRef } from "react";
import { useStore } from "zustand";
import { listSessionPage, type SessionOwner, type SessionState } from "../api/sessions";
import type { Me, Session } from "../api/types";
import { useAltKeys } from "../app/keys";
import { keys, useChildren, useSession } from "../app/queries";
import { usePages } from "../lib/usePages";
import { useMarks } from "../sessions/marks";
import { moveWithArrows } from "../ui/arrowKeys";
import { Problem, Skeleton } from "../ui/Notice";
import { OptionList } from "../ui/OptionList";
import { filterStore, OWNER_LABELS, STATE_LABELS, setLabel, setOwner, setState } from "./filter";
import { SessionItem } from "./SessionItem";
import { sessionTree } from "./sessionTree";
import "./rail.css";

interface SessionNavProps {
  projectId: string | null;
  current: string | undefined;
  me: Me;
}

/** The sessions of the project, or of all projects, with filters: first the pinned ones, then the others. */
export function SessionNav({ projectId, current, me }: SessionNavProps) {
  const chosen = useStore(filterStore);
  const pinned = useSessionPages(projectId, me, true);
  const others = useSessionPages(projectId, me, false);
  const family = useFamily(current);
  const isUnfiltered = chosen.state === "any" && chosen.owner === "team" && !chosen.label;
  const known = new Set(pinned.items.map(({ id }) => id));
  // After a change both lists load anew, one before the other: a session just pinned may be in both for a moment.
  const notPinned = [...others.items, ...(isUnfiltered ? family : [])].filter(({ id }) => !known.has(id));
  const list = useRef<HTMLElement>(null);
  useAltKeys({ s: () => focusSession(list.current) });
  const groups = { current, me, marks: useMarks() };
  return (
    <nav ref={list} className="session-list vertical grow" aria-label="Sessions">
      <Filters labels={[...pinned.items, ...others.items].flatMap(({ labels }) => labels ?? [])} />
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the keys of the links in it */}
      <div className="session-scroll" onKeyDown={onArrows}>
        <Group {...groups} sessions={pinned.items} label="Pinned" />
        {others.query.isPending && <Skeleton rows={5} label="Loading sessions" />}
        {others.query.error && <Problem error={others.query.error} />}
        {others.query.data && known.size + others.items.length === 0 && (
          <p className="empty">{isUnfiltered ? "No sessions yet." : "No sessions match."}</p>
        )}
        <Group {...groups} sessions={notPinned} />
        {others.query.hasNextPage && (
          <button
            type="button"
            className="quiet-button session-more small muted"
            disabled={others.query.isFetchingNextPage}
            onClick={() => void others.query.fetchNextPage()}
          >
            Show older sessions
          </button>
        )}
      </div>
    </nav>
  );
}

function useSessionPages(project: string | null, me: Me, pinned: boolean) {
  const chosen = useStore(filterStore);
  const filter = { project, ...chosen, pinned };
  const query = usePages([...keys.sessionLists, "rail", filter], (cursor) =>
    listSessionPage(filter, me.user.id, cursor),
  );
  return { query, items: query.data?.pages.flatMap((page) => page.items) ?? [] };
}

/** Moves the focus to the session on screen, or to the first one. */
function focusSession(list: HTMLElement | null): void {
  const current = list?.querySelector<HTMLElement>(".session-link[aria-current]");
  (current ?? list?.querySelector<HTMLElement>(".session-link"))?.focus();
}

/** Arrow keys move between sessions, but not in the menu of one. */
function onArrows(event: KeyboardEvent<HTMLElement>): void {
  if (event.target instanceof HTMLElement && event.target.matches(".session-link"))
    moveWithArrows(event, ".session-link");
}

function Filters({ labels }: { labels: readonly string[] }) {
  const chosen = useStore(filterStore);
  const known = [...new Set([...labels, chosen.label])].filter(Boolean).sort();
  return (
    <header className="session-filters no-shrink">
      <h2 className="small muted">Sessions</h2>
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
      {known.length > 0 && (
        <select
          className="small"
          aria-label="Label of the sessions"
          value={chosen.label}
          onChange={(event) => setLabel(event.target.value)}
        >
          <option value="">Any label</option>
          <OptionList of={known.map((label) => [label, label])} />
        </select>
      )}
    </header>
  );
}

interface GroupProps {
  sessions: readonly Session[];
  current: string | undefined;
  me: Me;
  marks: ReturnType<typeof useMarks>;
  /** Heading of the group; nothing is shown for an empty group with one. */
  label?: string;
}

function Group({ sessions, current, me, marks, label }: GroupProps) {
  if (sessions.length === 0) return null;
  return (
    <>
      {label && <h3 className="session-group small muted">{label}</h3>}
      <ul aria-label={label}>
        {sessionTree(sessions).map(({ session, depth }) => (
          <li key={session.id}>
            <SessionItem
              session={session}
              depth={depth}
              isCurrent={session.id === current}
              me={me}
              own={marks.get(session.id)}
            />
          </li>
        ))}
      </ul>
    </>
  );
}

/** The session on screen with its sub-agents, as lists contain only sessions that people started. */
function useFamily(current: string | undefined): Session[] {
  const here = useSession(current).data;
  const root = here?.parent_id ?? current;
  const children = useChildren(root).data?.items ?? [];
  return here ? [here, ...children] : children;
}
