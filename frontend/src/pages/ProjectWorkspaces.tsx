import { Link } from "wouter";
import { formatAgo } from "../lib/format";
import { Icon } from "../ui/Icon";
import { Problem, Skeleton } from "../ui/Notice";
import { metersOf } from "../workspaces/labels";
import { workspacePath, workspacesPath } from "../workspaces/paths";
import { useWorkspaces } from "../workspaces/queries";
import { WorkspaceState } from "../workspaces/WorkspaceState";
import "./pages.css";

const MAX_ROWS = 5;

/** The project's latest workspaces with their states, and a link to all of them. */
export function ProjectWorkspaces({ projectId }: { projectId: string }) {
  const workspaces = useWorkspaces({ project: projectId });
  const items = workspaces.data?.pages.flatMap((page) => page.items) ?? [];
  if (workspaces.data && items.length === 0) return null;
  return (
    <section className="intro-workspaces full-width" aria-label="Workspaces">
      <h2 className="line muted">
        <Icon name="box" size={14} /> Workspaces
        <Link href={workspacesPath(projectId)} className="link push-end">
          All workspaces, with limits and usage
        </Link>
      </h2>
      {workspaces.error && !workspaces.data && <Problem error={workspaces.error} />}
      {workspaces.isPending && <Skeleton rows={2} label="Loading workspaces" />}
      {items.length > 0 && (
        <ul className="ruled-top">
          {items.slice(0, MAX_ROWS).map((workspace) => {
            const memory = metersOf(
              workspace.usage,
              workspace.limits,
              null,
              workspace.state === "running",
            )[0];
            return (
              <li key={workspace.id}>
                <Link href={workspacePath(workspace.id)} className="row line gap-12 ruled">
                  <span className="ellipsis grow medium">{workspace.name}</span>
                  <WorkspaceState state={workspace.state} />
                  <span className="row-detail ellipsis muted number memory">
                    {workspace.usage && workspace.state === "running" && memory?.text}
                  </span>
                  <time className="row-time muted" dateTime={workspace.last_used_at}>
                    {formatAgo(workspace.last_used_at)}
                  </time>
                </Link>
              </li>
            );
          })}
        </ul>
      )}
    </section>
  );
}
