import { type ReactNode, useState } from "react";
import { Link } from "wouter";
import { ApiError } from "../api/http";
import { archiveAddress } from "../api/workspaces";
import type { WorkspaceDetail } from "../api/workspaceTypes";
import { useTabTitle } from "../app/live";
import { useProjectSessions } from "../app/queries";
import { SessionRow } from "../app/SessionRow";
import { useWaiting } from "../app/waiting";
import { formatAgo, formatBytes } from "../lib/format";
import { visible } from "../lib/visible";
import { NotFound } from "../pages/NotFound";
import { useLevelAt } from "../settings/levels";
import { SettingsFrame } from "../settings/SettingsFrame";
import { Icon } from "../ui/Icon";
import { Problem, Skeleton } from "../ui/Notice";
import { ProblemBox } from "../ui/ProblemBox";
import { ActionButtons, ActionOutcome } from "./ActionButtons";
import { Background } from "./Background";
import { DeletionBanner } from "./DeletionBanner";
import { LimitsAndUsage } from "./LimitsAndUsage";
import { adviceFor, diskText, stateSentence, trafficText } from "./labels";
import { useWorkspace } from "./queries";
import { SelfCheck } from "./SelfCheck";
import { useWorkspaceActions, type WorkspaceActions } from "./useWorkspaceActions";
import { WorkspaceState } from "./WorkspaceState";
import "./WorkspacePage.css";

export function WorkspacePage({ workspaceId }: { workspaceId: string }) {
  const [isWatched, setWatched] = useState(false);
  const workspace = useWorkspace(workspaceId, isWatched);
  const acts = useWorkspaceActions(workspace.data);
  if ((acts.running !== null) !== isWatched) setWatched(acts.running !== null);
  const level = useLevelAt(workspace.data?.project_id);
  useTabTitle(workspace.data?.name ?? "Workspace", useWaiting().count);
  if (workspace.error instanceof ApiError && workspace.error.status === 404)
    return <NotFound what="workspace" />;
  return (
    <SettingsFrame level={level} current="workspaces" columnClass="workspace-page">
      {workspace.isPending && <Skeleton rows={8} label="Loading the workspace" />}
      {workspace.error && <Problem error={workspace.error} onRetry={workspace.refetch} />}
      {workspace.data && <Loaded workspace={workspace.data} acts={acts} />}
    </SettingsFrame>
  );
}

function Loaded({ workspace, acts }: { workspace: WorkspaceDetail; acts: WorkspaceActions }) {
  return (
    <>
      <nav className="breadcrumb flow gap-16 gap-y-0 muted" aria-label="Breadcrumb">
        <Link href={`/projects/${workspace.project_id}`}>{workspace.project_name}</Link>
      </nav>
      <h1>{workspace.name}</h1>
      <State workspace={workspace} />
      <DeletionBanner workspace={workspace} acts={acts} />
      <ActionButtons
        workspace={workspace}
        acts={acts}
        offered={["start", "stop", "restart", "rebuild", "export", "remove"]}
      />
      <ActionOutcome workspace={workspace} acts={acts} />
      <LimitsAndUsage workspace={workspace} />
      <SelfCheck workspace={workspace} acts={acts} />
      <Background workspace={workspace} />
      <Facts workspace={workspace} />
      <Sessions workspace={workspace} />
    </>
  );
}

function State({ workspace }: { workspace: WorkspaceDetail }) {
  const advice = adviceFor(workspace);
  if (workspace.state === "failed" || workspace.state === "lost") {
    return (
      <ProblemBox
        role="status"
        head={<WorkspaceState state={workspace.state} />}
        message={visible(stateSentence(workspace))}
        hint={advice}
      />
    );
  }
  return (
    <p className="workspace-now flow align-baseline gap-12 gap-y-0" role="status">
      <WorkspaceState state={workspace.state} />
      <span className="muted">{visible(stateSentence(workspace))}</span>
    </p>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function Facts({ workspace }: { workspace: WorkspaceDetail }) {
  const { node, generation } = workspace;
  return (
    <section className="workspace-part" aria-label="About" data-testid="facts">
      <header className="flow align-baseline between gap-16 gap-y-0 ruled">
        <h2>About</h2>
      </header>
      <dl className="workspace-facts">
        <Fact name="Runtime">{workspace.runtime || "Chosen at start"}</Fact>
        <Fact name="Node">
          {node?.name ?? "None yet"}
          {node && !node.alive && (
            <span className="fact-trouble inline gap-4 text-waiting">
              <Icon name="warning" size={14} /> not responding since {formatAgo(node.seen_at)}
            </span>
          )}
        </Fact>
        <Fact name="Disk">{diskText(workspace.disk_driver)}</Fact>
        <Fact name="Network">{trafficText(workspace.network)}</Fact>
        <Fact name="Last archive">
          <Archive workspace={workspace} />
        </Fact>
        {generation > 0 && (
          <Fact name="Restored">
            {generation === 1 ? "Once" : `${generation} times`}, after its node was lost
          </Fact>
        )}
        <Fact name="Last used">
          <time dateTime={workspace.last_used_at}>{formatAgo(workspace.last_used_at)}</time>
        </Fact>
        <Fact name="Created">
          <time dateTime={workspace.created_at}>{formatAgo(workspace.created_at)}</time>
        </Fact>
      </dl>
    </section>
  );
}

function Archive({ workspace: { id, archive, may } }: { workspace: WorkspaceDetail }) {
  if (!archive) return <>None yet. If the node is lost, the files are lost too.</>;
  return (
    <>
      <time dateTime={archive.at}>{formatAgo(archive.at)}</time>, {formatBytes(archive.size)}{" "}
      {may.includes("download") && (
        <a className="link" href={archiveAddress(id)} download>
          Download
        </a>
      )}
    </>
  );
}

function Sessions({ workspace }: { workspace: WorkspaceDetail }) {
  const sessions = useProjectSessions(workspace.project_id);
  const own = sessions.data?.items.filter((session) => session.workspace_id === workspace.id) ?? [];
  return (
    <section className="workspace-part" aria-label="Sessions">
      <header className="flow align-baseline between gap-16 gap-y-0 ruled">
        <h2>
          Sessions<span className="count">{workspace.session_count}</span>
        </h2>
      </header>
      {sessions.error && !sessions.data && <Problem error={sessions.error} />}
      {sessions.isPending && <Skeleton rows={2} label="Loading sessions" />}
      {sessions.data && own.length === 0 && <p className="muted">No recent sessions.</p>}
      {own.length > 0 && (
        <ul className="ruled-top">
          {own.map((session) => (
            <SessionRow key={session.id} session={session} />
          ))}
        </ul>
      )}
    </section>
  );
}
