import { useState } from "react";
import { hasCode } from "../api/http";
import { savePolicy } from "../api/policies";
import type { Policy } from "../api/policyTypes";
import { queryClient } from "../app/queries";
import { Dialog } from "../ui/Dialog";
import { DiffView } from "../ui/DiffView";
import { FieldsProblem } from "../ui/FieldsProblem";
import { useAction } from "../ui/useAction";
import type { PolicyEditing } from "./draft";
import { fieldLabel } from "./fieldLabel";
import { policyKeys, showSaved } from "./queries";
import { ReasonField } from "./ReasonField";
import "./versions.css";

interface SaveDialogProps {
  open: boolean;
  onClose: () => void;
  policy: Policy;
  editing: PolicyEditing;
  patch: string;
}

/** Shows the changes and asks for a reason. The draft is dropped only when the server has saved it. */
export function SaveDialog(props: SaveDialogProps) {
  return (
    <Dialog open={props.open} onClose={props.onClose} title="Save this policy" className="save-dialog">
      <SaveForm {...props} />
    </Dialog>
  );
}

const isStale = (problem: unknown): boolean => hasCode(problem, "stale_policy");

function SaveForm({ onClose, policy, editing, patch }: SaveDialogProps) {
  const [reason, setReason] = useState("");
  const { run, busy, error } = useAction();
  const save = async () => {
    const saved = await run(async () => {
      try {
        showSaved(await savePolicy(policy.place, editing.document, editing.base, reason.trim()));
        editing.discard();
      } catch (problem) {
        if (!isStale(problem)) throw problem;
        // Somebody else saved first: read their version, and the page shows the differences.
        await queryClient.invalidateQueries({ queryKey: policyKeys.policy(policy.place), exact: true });
      }
    });
    if (saved) onClose();
  };
  return (
    <form
      className="save-form stack gap-16"
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      <div className="save-diff">
        <DiffView patch={patch} path="of the draft" />
      </div>
      <ReasonField
        value={reason}
        onChange={setReason}
        placeholder="Reason for the change; everybody can read it"
      />
      {error !== null && <FieldsProblem error={error} fieldLabel={fieldLabel} />}
      <p className="cluster gap-12 gap-y-8">
        <span className="muted">Running sessions use it from their next tool call on.</span>
        <span className="spacer" />
        <button type="button" className="button" onClick={onClose}>
          {" "}
          Cancel{" "}
        </button>
        <button
          type="submit"
          className="button primary"
          disabled={busy || !reason.trim() || editing.isBehind}
        >
          Save version {editing.base + 1}
        </button>
      </p>
    </form>
  );
}
