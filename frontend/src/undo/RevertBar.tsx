import { useState } from "react";
import { plural } from "../lib/format";
import { useLive } from "../store/SessionContext";
import { Icon } from "../ui/Icon";
import { UndoDialog } from "./UndoDialog";
import { mayUndo } from "./UndoTurn";
import "./Undo.css";

/** Says above the composer what is taken back, and offers to redo it. */
export function RevertBar() {
  const revert = useLive((state) => state.session?.revert ?? null);
  const sessionId = useLive((state) => state.session?.id ?? "");
  const canRedo = useLive(mayUndo);
  const [isOpen, setOpen] = useState(false);
  if (!revert) return null;
  if (revert.state === "pending") {
    return (
      <p className="revert-bar small muted" role="status">
        Changes are being taken back…
      </p>
    );
  }
  return (
    <div className="revert-bar flow between" role="status" data-testid="revert-bar">
      <span className="small">
        {textOf(revert.hidden, revert.files)}
        {canRedo && " The next prompt makes this final."}
      </span>
      {canRedo && (
        <button type="button" className="button small" onClick={() => setOpen(true)}>
          <Icon name="redo" size={14} /> Redo
        </button>
      )}
      <UndoDialog
        sessionId={sessionId}
        open={isOpen}
        onClose={() => setOpen(false)}
        title="Redo"
        verb="Redo"
        choices={[{ label: "Redo", scope: { revert_id: revert.id } }]}
      />
    </div>
  );
}

function textOf(hidden: number, files: number): string {
  const taken = files > 0 ? `${plural(files, "file")} taken back.` : "No file changed.";
  return hidden > 0 ? `${plural(hidden, "message")} hidden, ${taken}` : taken;
}
