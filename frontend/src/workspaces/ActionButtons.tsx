import { useState } from "react";
import type { WorkspaceDetail } from "../api/workspaceTypes";
import { Icon } from "../ui/Icon";
import { Problem } from "../ui/Notice";
import { ACTIONS, type Act, type Action } from "./actions";
import { Confirm } from "./Confirm";
import type { WorkspaceActions } from "./useWorkspaceActions";
import "./WorkspacePage.css";
import "./WorkspacesPage.css";

interface ActionButtonsProps {
  workspace: WorkspaceDetail;
  acts: WorkspaceActions;
  offered: readonly Act[];
  /** Icon buttons for a list row instead of labelled buttons. */
  compact?: boolean;
}

/** Buttons for the currently possible actions. Actions that lose something need a confirmation. */
export function ActionButtons({ workspace, acts, offered, compact = false }: ActionButtonsProps) {
  const [asking, setAsking] = useState<Action | null>(null);
  const shown = ACTIONS.filter(
    ({ act }) => offered.includes(act) && (workspace.may.includes(act) || acts.running === act),
  );
  const press = (action: Action) => (action.warning ? setAsking(action) : acts.run(action, workspace));
  return (
    <>
      <div className={compact ? "act-signs flex end gap-4" : "act-buttons flow"}>
        {shown.map((action) => (
          <ActionButton
            key={action.act}
            action={action}
            workspace={workspace}
            going={acts.running}
            compact={compact}
            onPress={() => press(action)}
          />
        ))}
      </div>
      <Confirm
        action={asking}
        workspace={workspace}
        onClose={() => setAsking(null)}
        onConfirm={(action) => {
          setAsking(null);
          acts.run(action, workspace);
        }}
      />
    </>
  );
}

interface ActionButtonProps {
  action: Action;
  workspace: WorkspaceDetail;
  going: Act | null;
  compact: boolean;
  onPress: () => void;
}

function ActionButton({ action, workspace, going, compact, onPress }: ActionButtonProps) {
  const isBusy = going === action.act;
  const label = isBusy ? action.busy : action.label;
  if (compact) {
    return (
      <button
        type="button"
        className="icon-button"
        data-act={action.act}
        disabled={going !== null}
        aria-busy={isBusy}
        aria-label={`${label} ${workspace.name}`}
        title={label}
        onClick={onPress}
      >
        {isBusy ? <span className="dot dot-running" /> : <Icon name={action.icon} />}
      </button>
    );
  }
  return (
    <button
      type="button"
      className={`button ${action.act === "start" ? "primary" : ""}`}
      data-act={action.act}
      disabled={going !== null}
      aria-busy={isBusy}
      onClick={onPress}
    >
      {isBusy ? <span className="dot dot-running" /> : <Icon name={action.icon} size={14} />}
      {label}
    </button>
  );
}

/** Error or delay of the last action, if any. */
export function ActionOutcome({ workspace, acts }: { workspace: WorkspaceDetail; acts: WorkspaceActions }) {
  const { refused } = acts;
  if (acts.error !== null) {
    return (
      <Problem error={acts.error}>
        {refused && (
          <button type="button" className="button" onClick={() => acts.run(refused, workspace, true)}>
            {refused.label} anyway
          </button>
        )}
      </Problem>
    );
  }
  if (!acts.isLate) return null;
  return (
    <p className="act-late flex text-waiting" role="status">
      <Icon name="wait" size={14} /> This takes longer than usual: the node is busy or does not respond. The
      action is not lost; this page shows when it is done.
    </p>
  );
}
