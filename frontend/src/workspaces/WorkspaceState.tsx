import type { WorkspaceState as State } from "../api/types";
import { STATE_LABELS } from "./labels";

/** State of a workspace as a dot with its label. */
export function WorkspaceState({ state }: { state: State }) {
  return (
    <span className="workspace-state inline" data-testid="workspace-state" data-state={state}>
      <span className={`dot dot-box-${state}`} aria-hidden="true" />
      {STATE_LABELS[state]}
    </span>
  );
}
