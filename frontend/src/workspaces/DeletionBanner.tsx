import type { WorkspaceDetail } from "../api/workspaceTypes";
import { Icon } from "../ui/Icon";
import { actionOf } from "./actions";
import type { WorkspaceActions } from "./useWorkspaceActions";
import "./WorkspacePage.css";

/** Notice that the workspace will be deleted, with a button to cancel the deletion. */
export function DeletionBanner({ workspace, acts }: { workspace: WorkspaceDetail; acts: WorkspaceActions }) {
  if (workspace.state !== "removing") return null;
  const keep = actionOf("keep");
  return (
    <section
      className="removal waiting-box cluster gap-12 gap-y-8"
      aria-label="Deletion"
      data-testid="removal"
    >
      <Icon name="trash" />
      <p>
        <strong>Will be deleted {dateText(workspace.remove_at)}.</strong> Its files are kept until then.
      </p>
      {workspace.may.includes("keep") && (
        <button
          type="button"
          className="button"
          disabled={acts.running !== null}
          aria-busy={acts.running === "keep"}
          onClick={() => acts.run(keep, workspace)}
        >
          {acts.running === "keep" ? keep.busy : keep.label}
        </button>
      )}
    </section>
  );
}

function dateText(time: string | null): string {
  if (!time) return "soon";
  const day = new Date(time).toLocaleString(undefined, { dateStyle: "long", timeStyle: "short" });
  return `on ${day}`;
}
