import type { WorkspaceDetail } from "../api/workspaceTypes";
import { ConfirmDialog, Losses } from "../ui/ConfirmDialog";
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
    <ConfirmDialog
      open={!!warning}
      title={action ? `${action.label} ${workspace.name}?` : "Nothing to confirm"}
      verb={action?.label ?? ""}
      icon={action?.icon}
      isDangerous={action?.act === "remove"}
      onConfirm={() => action && onConfirm(action)}
      onClose={onClose}
    >
      {warning && <Losses {...warning} />}
    </ConfirmDialog>
  );
}
