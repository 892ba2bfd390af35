import type { WorkspaceDetail } from "../api/workspaceTypes";
import { Dialog } from "../ui/Dialog";
import { Icon } from "../ui/Icon";
import type { Action } from "./actions";

interface ConfirmProps {
  action: Action | null;
  workspace: WorkspaceDetail;
  onClose: () => void;
  onConfirm: (action: Action) => void;
}

/** Confirmation of an action: what is lost, what is kept, and for how long it can be undone. */
export function Confirm({ action, workspace, onClose, onConfirm }: ConfirmProps) {
  const warning = action?.warning?.(workspace);
  return (
    <Dialog
      open={!!warning}
      onClose={onClose}
      title={action ? `${action.label} ${workspace.name}?` : "Nothing to confirm"}
      className="confirm-dialog"
    >
      {action && warning && (
        <div className="confirm stack gap-16" data-testid="confirm">
          <dl>
            <div>
              <dt>Lost</dt>
              <dd>{warning.lost}</dd>
            </div>
            <div>
              <dt>Kept</dt>
              <dd>{warning.kept}</dd>
            </div>
          </dl>
          <div className="flow end">
            <button type="button" className="button" onClick={onClose}>
              Cancel
            </button>
            <button
              type="button"
              className={`button ${action.act === "remove" ? "danger" : "primary"}`}
              onClick={() => onConfirm(action)}
            >
              <Icon name={action.icon} size={14} /> {action.label}
            </button>
          </div>
        </div>
      )}
    </Dialog>
  );
}
