import { Link } from "wouter";
import { agentsPath } from "../agents/paths";
import { ApiError } from "../api/http";
import type { Project } from "../api/types";
import { useTabTitle } from "../app/live";
import { useMe, useProject } from "../app/queries";
import { useWaiting } from "../app/waiting";
import { NotFound } from "../pages/NotFound";
import { policyPath } from "../policies/paths";
import { teamPath } from "../team/paths";
import { LazyTabs } from "../ui/LazyTabs";
import { Problem, Skeleton } from "../ui/Notice";
import { workspacesPath } from "../workspaces/paths";
import { projectSettingsPath } from "./paths";
import { mayChangeProjects, PROJECT_TABS } from "./tabs";

interface ProjectSettingsPageProps {
  projectId: string;
  tab: string | undefined;
}

export function ProjectSettingsPage({ projectId, tab }: ProjectSettingsPageProps) {
  const project = useProject(projectId);
  useTabTitle(project.data ? `Settings of ${project.data.name}` : "Settings", useWaiting().count);
  if (project.error instanceof ApiError && project.error.status === 404) return <NotFound what="project" />;
  return (
    <div className="page-frame">
      <main className="page-column vertical" id="main">
        {project.isPending && <Skeleton rows={8} label="Loading the project" />}
        {project.error && !project.data && <Problem error={project.error} onRetry={project.refetch} />}
        {project.data && <Loaded key={projectId} project={project.data} requestedTab={tab} />}
      </main>
    </div>
  );
}

function Loaded({ project, requestedTab }: { project: Project; requestedTab: string | undefined }) {
  const team = useMe().data?.teams.find((item) => item.id === project.team_id);
  const role = team?.role ?? null;
  return (
    <>
      <nav className="breadcrumb flow gap-16 gap-y-0 muted" aria-label="About the project">
        {team && <Link href={teamPath(team.id)}>{team.name}</Link>}
        <Link href={`/projects/${project.id}`}>{project.name}</Link>
        <Link href={policyPath(project.id)} className="aside underlined push-end">
          Policy
        </Link>
        <Link href={agentsPath(project.id)} className="aside underlined push-end">
          Agents
        </Link>
        <Link href={workspacesPath(project.id)} className="aside underlined push-end">
          Workspaces
        </Link>
      </nav>
      <h1>Settings of {project.name}</h1>
      <LazyTabs
        label="Settings of this project"
        tabs={PROJECT_TABS.filter((tab) => tab.isFor(role))}
        requested={requestedTab}
        pathOf={(name) => projectSettingsPath(project.id, name)}
      >
        {({ Body }) => <Body project={project} mayChange={mayChangeProjects(role)} />}
      </LazyTabs>
    </>
  );
}
