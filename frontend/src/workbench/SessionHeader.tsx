import { type KeyboardEvent, useState } from "react";
import { Link } from "wouter";
import { changeSession } from "../api/endpoints";
import { usePerson } from "../app/person";
import { refreshSessions, useMe, useSession } from "../app/queries";
import { toggleRight } from "../app/shellStore";
import { SessionCost } from "../budgets/SessionCost";
import { visibleLine } from "../lib/visible";
import { isAdmin, shownName } from "../permissions/approvers";
import { useMarks } from "../sessions/marks";
import { SessionMenu } from "../sessions/SessionMenu";
import { useConnection, useLive } from "../store/SessionContext";
import type { Link as Connection } from "../store/socket";
import { Presence } from "../together/Presence";
import { ShareButton } from "../together/ShareButton";
import { Icon } from "../ui/Icon";
import { WorkspaceDot } from "../ui/StateDot";
import { useAction } from "../ui/useAction";
import { useFocusBack } from "../ui/useFocusBack";
import { ForkButton } from "./ForkButton";
import { HeaderActions } from "./HeaderActions";
import "./SessionHeader.css";

export function SessionHeader({ sessionId }: { sessionId: string }) {
  const workspace = useLive((state) => state.workspace);
  return (
    <header className="session-header line gap-12 no-shrink ruled">
      <Parent />
      <OfComparison />
      <Title key={sessionId} sessionId={sessionId} />
      <Folder />
      <Origin />
      <div className="session-facts line gap-16 small muted">
        <ConnectionState />
        <Presence />
        <ShareButton sessionId={sessionId} />
        <ForkButton sessionId={sessionId} />
        {workspace && <WorkspaceDot {...workspace} />}
        <SessionCost sessionId={sessionId} />
        <HeaderActions sessionId={sessionId} />
        <Actions />
        <button
          type="button"
          className="icon-button"
          aria-label="Diff, files and details"
          onClick={toggleRight}
        >
          <Icon name="panel" />
        </button>
      </div>
    </header>
  );
}

/** Who started the session, and its labels. */
function Origin() {
  const by = useLive((state) => state.session?.created_by);
  const labels = useLive((state) => state.session?.labels) ?? [];
  const me = useMe().data?.user.id;
  return (
    <span className="title-origin line gap-6 small muted" data-testid="session-origin">
      {by && by.id !== me && <span className="ellipsis">by {shownName(by)}</span>}
      {labels.map((label) => (
        <span key={label} className="badge ellipsis">
          {label}
        </span>
      ))}
    </span>
  );
}

function Actions() {
  const connection = useConnection();
  const session = useLive((state) => state.session);
  const marks = useMarks();
  if (!session) return null;
  return <SessionMenu session={session} own={marks.get(session.id)} onChanged={connection.showSession} />;
}

/** Link from the session of a sub-agent to the session that started it. */
function Parent() {
  const parentId = useLive((state) => state.session?.parent_id);
  const parent = useSession(parentId ?? undefined).data;
  if (!parentId) return null;
  return (
    <>
      <Link
        href={`/sessions/${parentId}`}
        className="title-parent ellipsis medium muted"
        data-testid="parent-link"
      >
        <span className="sr-only">Started by: </span>
        {parent?.title || "Parent session"}
      </Link>
      <Icon name="chevron" size={12} />
    </>
  );
}

/** The folder of the workspace that the session is about, if not the root. */
function Folder() {
  const folder = useLive((state) => state.session?.folder ?? "");
  if (folder === "") return null;
  return (
    <span className="small muted no-shrink" title="Commands run in this folder">
      in <code>{visibleLine(folder)}</code>
    </span>
  );
}

/** Link from one of several attempts to all of them. */
function OfComparison() {
  const comparisonId = useLive((state) => state.comparisonId);
  if (!comparisonId) return null;
  return (
    <Link href={`/comparisons/${comparisonId}`} className="title-parent medium muted no-shrink">
      All attempts
    </Link>
  );
}

/** Whether the person may rename the session: who started it, and admins. */
function useCanRename(): boolean {
  const canAct = useLive((state) => state.canAct);
  const by = useLive((state) => state.session?.created_by?.id);
  const person = usePerson(useLive((state) => state.session?.project_id));
  return canAct && (by === person.id || isAdmin(person.role));
}

function Title({ sessionId }: { sessionId: string }) {
  const connection = useConnection();
  const title = useLive((state) => state.session?.title ?? "");
  const canRename = useCanRename();
  const [draft, setDraft] = useState<string | null>(null);
  const { run, error } = useAction();
  const button = useFocusBack<HTMLButtonElement>(draft !== null);
  const save = async () => {
    const next = draft?.trim();
    setDraft(null);
    if (!next || next === title) return;
    const isSaved = await run(async () =>
      connection.showSession(await changeSession(sessionId, { title: next })),
    );
    if (isSaved) refreshSessions();
    else setDraft(next);
  };
  const onKey = (event: KeyboardEvent) => {
    if (event.key === "Enter") {
      event.preventDefault(); // the title, which then has the focus, would be pressed by the same key
      void save();
    }
    if (event.key === "Escape") setDraft(null);
  };
  if (draft !== null) {
    return (
      <>
        <input
          className="title-input semibold grow"
          aria-label="Session title"
          // biome-ignore lint/a11y/noAutofocus: the person has just asked to edit it
          autoFocus
          maxLength={200}
          value={draft}
          onFocus={(event) => event.target.select()}
          onChange={(event) => setDraft(event.target.value)}
          onBlur={() => void save()}
          onKeyDown={onKey}
        />
        {error !== null && (
          <span className="small" role="alert">
            Not renamed. {error instanceof Error ? error.message : ""}
          </span>
        )}
      </>
    );
  }
  return (
    <h1 className="title grow">
      <button
        ref={button}
        type="button"
        disabled={!canRename}
        title={canRename ? "Rename" : undefined}
        data-testid="session-title"
        onClick={() => setDraft(title)}
      >
        {title || "Untitled session"}
      </button>
    </h1>
  );
}

const CONNECTION_LABELS: Record<Connection, string> = {
  connecting: "Connecting",
  live: "Connected",
  reconnecting: "Reconnecting",
  offline: "Offline",
};

function ConnectionState() {
  const connection = useConnection();
  const link = useLive((state) => state.link);
  return (
    <span className="connection inline" data-testid="link-state" data-link={link} role="status">
      <span className="dot" aria-hidden="true" />
      <span className={link === "live" ? "sr-only" : undefined}>{CONNECTION_LABELS[link]}</span>
      {link === "offline" && (
        <button type="button" className="link" onClick={connection.retryNow}>
          Try now
        </button>
      )}
    </span>
  );
}
