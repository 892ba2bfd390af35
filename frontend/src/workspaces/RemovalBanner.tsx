import type { WorkspaceDetail } from "../api/workspaceTypes";
import { Icon } from "../ui/Icon";
import { actionOf } from "./actions";
import type { Acts } from "./useActs";

/** Notice that the workspace will be deleted, with a button to cancel the deletion. */
export function RemovalBanner({ workspace, acts }: { workspace: WorkspaceDetail; acts: Acts }) {
  if (workspace.state !== "removing") return null;
  const keep = actionOf("keep");
  return (
    <section className="removal" aria-label="Deletion" data-testid="removal">
      <Icon name="trash" />
      <p>
        <strong>Will be deleted {whenWords(workspace.remove_at)}.</strong> Its files are kept until then.
      </p>
      {workspace.may.includes("keep") && (
        <button
          type="button"
          className="button"
          disabled={acts.going !== null}
          aria-busy={acts.going === "keep"}
          onClick={() => acts.run(keep, workspace)}
        >
          {acts.going === "keep" ? keep.busy : keep.label}
        </button>
      )}
    </section>
  );
}

function whenWords(time: string | null): string {
  if (!time) return "soon";
  const day = new Date(time).toLocaleString(undefined, { dateStyle: "long", timeStyle: "short" });
  return `on ${day}`;
}
