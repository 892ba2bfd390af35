import { Link } from "wouter";
import type { SessionStatus, Workspace, WorkspaceState } from "../api/types";
import { workspacePath } from "../workspaces/paths";

const SESSION_LABELS: Record<SessionStatus, string> = {
  idle: "Idle",
  running: "Running",
  waiting: "Waiting for an answer",
};

export function SessionDot({ status }: { status: SessionStatus }) {
  return (
    <span
      className={`dot dot-${status}`}
      role="img"
      aria-label={SESSION_LABELS[status]}
      title={SESSION_LABELS[status]}
    />
  );
}

const WORKSPACE_LABELS: Record<WorkspaceState, string> = {
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
  const label = WORKSPACE_LABELS[state];
  return (
    <Link
      href={workspacePath(id)}
      className="workspace-state hover-underlined inline"
      data-testid="workspace-state"
      data-state={state}
      title={detail || label}
    >
      <span className={`dot dot-box-${state}`} aria-hidden="true" />
      <span className="workspace-label">{label}</span>
    </Link>
  );
}
