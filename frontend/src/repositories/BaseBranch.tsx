import { useEffect, useRef } from "react";
import { useLocation } from "wouter";
import {
  type GitState,
  resolveConflicts,
  startBranchSession,
  type UpdateKind,
  updateBranch,
} from "../api/workingCopy";
import { refreshSessions } from "../app/queries";
import { plural } from "../lib/format";
import { visibleLine } from "../lib/visible";
import { Problem } from "../ui/Notice";
import { useAction } from "../ui/useAction";

const FETCH_INTERVAL = 300_000;

interface BaseBranchProps {
  sessionId: string;
  state: GitState;
  onState: (state: GitState) => void;
}

/** Says that the branch which the session started from has new commits, and brings them into the session's branch. */
export function BaseBranch({ sessionId, state, onState }: BaseBranchProps) {
  const { run, busy, error } = useAction();
  const { base, behind, operation, can_change: canChange, problem } = state;
  useFetching(sessionId, canChange && !problem && !operation, onState);
  const update = (how: UpdateKind) => void run(async () => onState(await updateBranch(sessionId, how)));
  const conflicts = state.uncommitted.filter(({ status }) => status === "conflict").length;
  const name = visibleLine(base);
  if (!operation && behind === 0) return null;
  return (
    <section className="boxed stack gap-8 need-subject" aria-label="Base branch">
      <p className="small break-anywhere" role="status">
        {operation
          ? `A ${operation} with ${name} is not finished${conflicts ? `: ${plural(conflicts, "file")} in conflict` : ""}.`
          : `${name} has ${plural(behind, "new commit")}.`}
        {!operation &&
          state.pushed &&
          " A rebase replaces commits that are pushed already; most rules do not let you push that."}
      </p>
      {canChange && !problem && (
        <div className="flow gap-8">
          {operation ? (
            <>
              {conflicts > 0 && (
                <button
                  type="button"
                  className="button primary"
                  disabled={busy}
                  onClick={() => void run(async () => void (await resolveConflicts(sessionId)))}
                >
                  Have the agent resolve them
                </button>
              )}
              <button type="button" className="button" disabled={busy} onClick={() => update("abort")}>
                Undo the {operation}
              </button>
            </>
          ) : (
            (state.pushed ? MERGE_FIRST : REBASE_FIRST).map(({ how, label }) => (
              <button
                key={how}
                type="button"
                className="button"
                disabled={busy}
                onClick={() => update(how)}
              >{`${label} ${name}`}</button>
            ))
          )}
        </div>
      )}
      {error !== null && <Problem error={error} />}
    </section>
  );
}

const REBASE = { how: "rebase", label: "Rebase onto" } as const;
const MERGE = { how: "merge", label: "Merge" } as const;
const REBASE_FIRST = [REBASE, MERGE];
const MERGE_FIRST = [MERGE, REBASE];

/** Asks the server for new commits when the panel opens, and every five minutes while the page is watched. */
function useFetching(sessionId: string, isWanted: boolean, onState: (state: GitState) => void) {
  const store = useRef(onState);
  store.current = onState;
  useEffect(() => {
    if (!isWanted) return undefined;
    const fetch = () => {
      if (document.visibilityState !== "visible") return;
      updateBranch(sessionId, "fetch").then(
        (state) => store.current(state),
        () => undefined, // the next one tries again; what is known stays
      );
    };
    fetch();
    const timer = setInterval(fetch, FETCH_INTERVAL);
    return () => clearInterval(timer);
  }, [sessionId, isWanted]);
}

/** Opens a session in a new workspace that starts from the pushed branch of this one. */
export function BranchSession({ sessionId }: { sessionId: string }) {
  const [, go] = useLocation();
  const { run, busy, error } = useAction();
  const start = () =>
    run(async () => {
      const made = await startBranchSession(sessionId);
      refreshSessions();
      go(`/sessions/${made.id}`);
    });
  return (
    <>
      <button type="button" className="button" disabled={busy} onClick={() => void start()}>
        {busy ? "Starting…" : "New session from this branch"}
      </button>
      {error !== null && <Problem error={error} />}
    </>
  );
}
