import "../styles/policies.css";
import "../styles/policy-tabs.css";
import "../styles/team.css";
import { Suspense } from "react";
import { Link, useLocation } from "wouter";
import { agentsPath } from "../agents/paths";
import { ApiError } from "../api/http";
import type { Project } from "../api/types";
import { useTabTitle } from "../app/live";
import { useMe, useProject } from "../app/queries";
import { useWaiting } from "../app/waiting";
import { NotFound } from "../pages/NotFound";
import { policyPath } from "../policies/paths";
import { teamPath } from "../team/paths";
import { Problem, Skeleton } from "../ui/Notice";
import { Tabs } from "../ui/Tabs";
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
    <div className="policy-frame">
      <main className="policy team-page" id="main">
        {project.isPending && <Skeleton rows={8} label="Loading the project" />}
        {project.error && !project.data && (
          <Problem error={project.error}>
            <button type="button" className="button" onClick={() => project.refetch()}>
              Try again
            </button>
          </Problem>
        )}
        {project.data && <Loaded key={projectId} project={project.data} requestedTab={tab} />}
      </main>
    </div>
  );
}

function Loaded({ project, requestedTab }: { project: Project; requestedTab: string | undefined }) {
  const [, go] = useLocation();
  const team = useMe().data?.teams.find((item) => item.id === project.team_id);
  const role = team?.role ?? null;
  const tabs = PROJECT_TABS.filter((tab) => tab.isFor(role));
  const shown = tabs.find((tab) => tab.name === requestedTab) ?? tabs[0];
  if (!shown) return null;
  return (
    <>
      <nav className="places" aria-label="About the project">
        {team && <Link href={teamPath(team.id)}>{team.name}</Link>}
        <Link href={`/projects/${project.id}`}>{project.name}</Link>
        <Link href={policyPath(project.id)} className="places-aside">
          Policy
        </Link>
        <Link href={agentsPath(project.id)} className="places-aside">
          Agents
        </Link>
        <Link href={workspacesPath(project.id)} className="places-aside">
          Workspaces
        </Link>
      </nav>
      <h1>Settings of {project.name}</h1>
      <Tabs
        label="Settings of this project"
        tabs={tabs}
        selected={shown.name}
        onSelect={(name) => go(projectSettingsPath(project.id, name), { replace: true })}
      >
        <Suspense fallback={<Skeleton rows={6} label={`Loading ${shown.label.toLowerCase()}`} />}>
          <shown.Body project={project} mayChange={mayChangeProjects(role)} />
        </Suspense>
      </Tabs>
    </>
  );
}
