import { Link } from "wouter";
import type { SessionStatus, Workspace, WorkspaceState } from "../api/types";
import { workspacePath } from "../workspaces/paths";

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
  stopped: "Workspace stopped; starts with the next tool call",
  failed: "Workspace failed",
  lost: "Workspace lost with its node; it is being restored",
  removing: "Workspace will be deleted",
};

/** Link to the workspace with its state. On narrow screens the text is only for screen readers. */
export function WorkspaceDot({ id, state, detail }: Pick<Workspace, "id" | "state" | "detail">) {
  const words = WORKSPACE_WORDS[state];
  return (
    <Link
      href={workspacePath(id)}
      className={`workspace-state workspace-${state}`}
      data-testid="workspace-state"
      data-state={state}
      title={detail || words}
    >
      <span className={`dot dot-box-${state}`} aria-hidden="true" />
      <span className="workspace-words">{words}</span>
    </Link>
  );
}
