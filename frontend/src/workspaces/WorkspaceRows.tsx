import { useState } from "react";
import { Link } from "wouter";
import type { WorkspaceDetail } from "../api/workspaceTypes";
import { formatAgo, plural } from "../lib/format";
import { visible } from "../lib/visible";
import { ActionButtons, ActionOutcome } from "./ActionButtons";
import { type Meter, metersOf } from "./labels";
import { workspacePath } from "./paths";
import { useWorkspace } from "./queries";
import { FullnessLabel, UsageBar } from "./UsageBar";
import { useWorkspaceActions } from "./useWorkspaceActions";
import { WorkspaceState } from "./WorkspaceState";
import "./WorkspacesPage.css";

export function WorkspaceRows({ workspaces }: { workspaces: readonly WorkspaceDetail[] }) {
  return (
    <div className="workspace-rows">
      <div className="workspace-heads small medium muted ruled" aria-hidden="true">
        <span>Name</span>
        <span>State</span>
        <span>Memory</span>
        <span>Disk</span>
        <span>Sessions</span>
        <span>Last used</span>
      </div>
      <ul>
        {workspaces.map((workspace) => (
          <WorkspaceRow key={workspace.id} workspace={workspace} />
        ))}
      </ul>
    </div>
  );
}

function WorkspaceRow({ workspace: listed }: { workspace: WorkspaceDetail }) {
  const { workspace, acts } = useWatched(listed);
  const runs = workspace.state === "running";
  const meters = metersOf(workspace.usage, workspace.limits, null, runs);
  return (
    <li className="workspace-row ruled" data-testid="workspace" data-state={workspace.state}>
      <span className="workspace-name stack gap-2">
        <Link href={workspacePath(workspace.id)} className="hover-underlined ellipsis medium">
          {workspace.name}
        </Link>
        <span className="small muted ellipsis">{workspace.project_name}</span>
      </span>
      <span className="workspace-condition stack gap-2">
        <WorkspaceState state={workspace.state} />
        <span className="small muted ellipsis">{workspace.runtime}</span>
      </span>
      <SmallMeter meter={meters[0]} isKnown={runs && workspace.usage !== null} />
      <SmallMeter meter={meters.find(({ name }) => name === "disk")} isKnown={workspace.usage !== null} />
      <span className="workspace-sessions number">
        {workspace.session_count}
        <span className="workspace-unit">
          {" "}
          {plural(workspace.session_count, "session").replace(/^\d+ /, "")}
        </span>
      </span>
      <time className="workspace-used muted number" dateTime={workspace.last_used_at}>
        {formatAgo(workspace.last_used_at)}
      </time>
      <ActionButtons
        workspace={workspace}
        acts={acts}
        offered={["start", "stop", "restart", "remove", "keep"]}
        compact
      />
      {workspace.state === "failed" && workspace.detail && (
        <p className="workspace-why small muted break-anywhere full-row">{visible(workspace.detail)}</p>
      )}
      {workspace.state === "removing" && workspace.remove_at && (
        <p className="workspace-why small muted break-anywhere full-row">
          On {new Date(workspace.remove_at).toLocaleDateString(undefined, { dateStyle: "long" })}; you can
          cancel the deletion until then.
        </p>
      )}
      <ActionOutcome workspace={workspace} acts={acts} />
    </li>
  );
}

/** Returns the workspace of the list; while an action is running, polls the workspace itself. */
function useWatched(listed: WorkspaceDetail) {
  const [isWatched, setWatched] = useState(false);
  const own = useWorkspace(listed.id, isWatched, isWatched);
  const workspace = (isWatched && own.data) || listed;
  const acts = useWorkspaceActions(workspace);
  if ((acts.running !== null) !== isWatched) setWatched(acts.running !== null);
  return { workspace, acts };
}

function SmallMeter({ meter, isKnown }: { meter: Meter | undefined; isKnown: boolean }) {
  if (!meter) return null;
  return (
    <span className="small-meter small stack gap-2" data-meter={meter.name}>
      {isKnown ? <UsageBar meter={meter} label={meter.label} /> : <span className="bar bar-unknown" />}
      <span className="number muted">
        <span className="workspace-unit">{meter.label} </span>
        {meter.text} <FullnessLabel meter={meter} />
      </span>
    </span>
  );
}
