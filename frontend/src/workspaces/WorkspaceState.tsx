import type { WorkspaceState as State } from "../api/types";
import { STATE_WORDS } from "./words";

/** A mark and its word, in the same shape wherever a workspace is named. */
export function WorkspaceState({ state }: { state: State }) {
  return (
    <span className={`workspace-state workspace-${state}`} data-testid="workspace-state" data-state={state}>
      <span className={`dot dot-box-${state}`} aria-hidden="true" />
      {STATE_WORDS[state]}
    </span>
  );
}
