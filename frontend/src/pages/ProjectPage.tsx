import { Link } from "wouter";
import { agentsPath } from "../agents/paths";
import { ApiError } from "../api/http";
import type { Project } from "../api/types";
import { useTabTitle } from "../app/live";
import { useNewSession } from "../app/newSession";
import { useDeletionDate, useMayStart } from "../app/person";
import { useProject } from "../app/queries";
import { useWaiting } from "../app/waiting";
import { policyPath } from "../policies/paths";
import { projectSettingsPath } from "../project/paths";
import { StartFrom } from "../repositories/StartFrom";
import { PrivateChoice } from "../together/PrivateChoice";
import { Icon } from "../ui/Icon";
import { Problem, Skeleton } from "../ui/Notice";
import { LeftColumn } from "../workbench/columns";
import { SessionList } from "../workbench/SessionList";
import { NotFound } from "./NotFound";
import { ProjectWorkspaces } from "./ProjectWorkspaces";
import { StartPrompt } from "./StartPrompt";
import { StartSuggestion } from "./StartSuggestion";
import "./pages.css";

export function ProjectPage({ projectId }: { projectId: string }) {
  const project = useProject(projectId);
  useTabTitle(project.data?.name ?? "", useWaiting().count);
  if (project.error instanceof ApiError && project.error.status === 404) return <NotFound what="project" />;
  return (
    <div className="workbench">
      <LeftColumn>
        <SessionList projectId={projectId} />
      </LeftColumn>
      <main className="project-intro grow" id="main">
        {project.isPending && <Skeleton rows={3} label="Loading the project" />}
        {project.error && <Problem error={project.error} />}
        {project.data && <ProjectIntro project={project.data} />}
      </main>
    </div>
  );
}

function ProjectIntro({ project }: { project: Project }) {
  const mayStart = useMayStart(project.id);
  const leaving = useDeletionDate(project.id);
  const { create, busy, error, isPrivate, setPrivate } = useNewSession(project.id);
  return (
    <div className="intro stack items-start gap-16">
      <h1>{project.name}</h1>
      {project.description && <p className="intro-text muted">{project.description}</p>}
      {leaving && (
        <p className="deletion-note note waiting flex align-baseline" role="status">
          <Icon name="trash" size={14} />
          <span>
            This project is being deleted on{" "}
            {new Date(leaving).toLocaleDateString(undefined, { dateStyle: "medium" })}. No new sessions can
            start in it.
          </span>
        </p>
      )}
      {mayStart && <StartPrompt projectId={project.id} isPrivate={isPrivate} />}
      {mayStart && <StartSuggestion project={project} isPrivate={isPrivate} />}
      <div className="flow">
        {mayStart && (
          <button type="button" className="button" disabled={busy} onClick={() => create()}>
            <Icon name="plus" /> Empty session
          </button>
        )}
        <Link href={policyPath(project.id)} className="button">
          <Icon name="shield" /> Policy
        </Link>
        <Link href={agentsPath(project.id)} className="button">
          <Icon name="agent" /> Agents
        </Link>
        <Link href={projectSettingsPath(project.id)} className="button">
          <Icon name="tool" /> Settings
        </Link>
      </div>
      {mayStart && <StartFrom projectId={project.id} busy={busy} onStart={(ref) => void create({ ref })} />}
      {mayStart && <PrivateChoice checked={isPrivate} onChange={setPrivate} />}
      {error !== null && <Problem error={error} />}
      <ProjectWorkspaces projectId={project.id} />
    </div>
  );
}
