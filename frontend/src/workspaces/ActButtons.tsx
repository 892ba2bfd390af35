import { useState } from "react";
import type { WorkspaceDetail } from "../api/workspaceTypes";
import { Icon } from "../ui/Icon";
import { Problem } from "../ui/Notice";
import { ACTIONS, type Act, type Action } from "./actions";
import { Confirm } from "./Confirm";
import type { Acts } from "./useActs";

interface ActButtonsProps {
  workspace: WorkspaceDetail;
  acts: Acts;
  offered: readonly Act[];
  /** Icon buttons for a list row instead of labelled buttons. */
  compact?: boolean;
}

/** Buttons for the currently possible actions. Actions that lose something need a confirmation. */
export function ActButtons({ workspace, acts, offered, compact = false }: ActButtonsProps) {
  const [asking, setAsking] = useState<Action | null>(null);
  const shown = ACTIONS.filter(
    ({ act }) => offered.includes(act) && (workspace.may.includes(act) || acts.going === act),
  );
  const press = (action: Action) => (action.warning ? setAsking(action) : acts.run(action, workspace));
  return (
    <>
      <div className={compact ? "act-signs" : "act-buttons"}>
        {shown.map((action) => (
          <ActButton
            key={action.act}
            action={action}
            workspace={workspace}
            going={acts.going}
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

interface ActButtonProps {
  action: Action;
  workspace: WorkspaceDetail;
  going: Act | null;
  compact: boolean;
  onPress: () => void;
}

function ActButton({ action, workspace, going, compact, onPress }: ActButtonProps) {
  const isBusy = going === action.act;
  const words = isBusy ? action.busy : action.label;
  if (compact) {
    return (
      <button
        type="button"
        className="icon-button"
        data-act={action.act}
        disabled={going !== null}
        aria-busy={isBusy}
        aria-label={`${words} ${workspace.name}`}
        title={words}
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
      {words}
    </button>
  );
}

/** Error or delay of the last action, if any. */
export function ActOutcome({ workspace, acts }: { workspace: WorkspaceDetail; acts: Acts }) {
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
    <p className="act-late" role="status">
      <Icon name="wait" size={14} /> This takes longer than usual: the node is busy or does not respond. The action is not lost; this page shows when it is done.
    </p>
  );
}
