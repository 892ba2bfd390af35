import { useState } from "react";
import type { Policy } from "../api/policyTypes";
import { countChanges } from "../lib/diff";
import { plural } from "../lib/format";
import { documentOf, missingParts } from "./document";
import type { PolicyEditing } from "./draft";
import { lineDiff } from "./lineDiff";
import { SaveDialog } from "./SaveDialog";
import { documentLines } from "./text";

/**
 * Summary of unsaved changes with buttons to save or discard them. Always visible, so that the layout does
 * not shift.
 */
export function DraftBar({ policy, editing }: { policy: Policy; editing: PolicyEditing }) {
  const [saving, setSaving] = useState(false);
  const patch = editing.isChanged
    ? lineDiff(documentLines(documentOf(policy)), documentLines(editing.document))
    : "";
  const missing = editing.isChanged ? missingParts(editing.document) : [];
  return (
    <div className="draft-bar cluster gap-12 gap-y-8 ruled-top" data-testid="draft-bar">
      <p role="status">{editing.isChanged ? draftText(patch) : "No changes."}</p>
      {editing.isBehind && <p className="text-waiting">Somebody else saved a version: see above.</p>}
      {missing[0] && <p className="text-waiting">{missing[0]}</p>}
      <span className="spacer" />
      <button type="button" className="button" disabled={!editing.isChanged} onClick={editing.discard}>
        Discard
      </button>
      <button
        type="button"
        className="button primary"
        disabled={!editing.isChanged || editing.isBehind || missing.length > 0}
        onClick={() => setSaving(true)}
      >
        Save…
      </button>
      <SaveDialog
        open={saving}
        onClose={() => setSaving(false)}
        policy={policy}
        editing={editing}
        patch={patch}
      />
    </div>
  );
}

function draftText(patch: string): string {
  const { additions, deletions } = countChanges(patch);
  if (additions + deletions === 0) return "Draft without changes";
  const pieces = [
    additions > 0 ? `${plural(additions, "line")} added` : "",
    deletions > 0 ? `${deletions} removed` : "",
  ];
  return `Draft: ${pieces.filter(Boolean).join(", ")}`;
}
