import type { SessionStatus, WorkspaceState } from "../api/types";

const SESSION_WORDS: Record<SessionStatus, string> = {
  idle: "Idle",
  running: "Running",
  waiting: "Waiting for an answer",
};

export function SessionDot({ status }: { status: SessionStatus }) {
  return (
    <span
      className={`dot dot-${status}`}
      role="img"
      aria-label={SESSION_WORDS[status]}
      title={SESSION_WORDS[status]}
    />
  );
}

const WORKSPACE_WORDS: Record<WorkspaceState, string> = {
  new: "Workspace not started yet",
  starting: "Workspace starting",
  running: "Workspace running",
  stopped: "Workspace stopped; starts with the next call",
  failed: "Workspace failed",
  lost: "Workspace lost with its node; it is being restored",
  removing: "Workspace will be deleted",
};

export function WorkspaceDot({ state, detail }: { state: WorkspaceState; detail?: string }) {
  const words = WORKSPACE_WORDS[state];
  return (
    <span
      className={`workspace-state workspace-${state}`}
      data-testid="workspace-state"
      data-state={state}
      title={detail || words}
    >
      <span className={`dot dot-box-${state}`} aria-hidden="true" />
      <span className="workspace-words">{words}</span>
    </span>
  );
}
