import { Link } from "wouter";
import { ApiError } from "../api/http";
import type { Project } from "../api/types";
import { useTabTitle } from "../app/live";
import { useDeletionDate, useMayStart } from "../app/person";
import { useProject } from "../app/queries";
import { useWaiting } from "../app/waiting";
import { Composer } from "../composer/Composer";
import { projectSettingsPath } from "../project/paths";
import { Icon } from "../ui/Icon";
import { Problem, Skeleton } from "../ui/Notice";
import { NotFound } from "./NotFound";
import { ProjectWorkspaces } from "./ProjectWorkspaces";
import "./pages.css";

export function ProjectPage({ projectId }: { projectId: string }) {
  const project = useProject(projectId);
  useTabTitle(project.data?.name ?? "", useWaiting().count);
  if (project.error instanceof ApiError && project.error.status === 404) return <NotFound what="project" />;
  return (
    <main className="project-intro grow" id="main">
      {project.isPending && <Skeleton rows={3} label="Loading the project" />}
      {project.error && <Problem error={project.error} />}
      {project.data && <ProjectIntro project={project.data} />}
    </main>
  );
}

function ProjectIntro({ project }: { project: Project }) {
  const mayStart = useMayStart(project.id);
  const leaving = useDeletionDate(project.id);
  return (
    <div className="intro stack items-start gap-16">
      <header className="line between full-width">
        <h1 className="break-anywhere">{project.name}</h1>
        <Link href={projectSettingsPath(project.id)} className="button no-shrink">
          <Icon name="tool" /> Settings
        </Link>
      </header>
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
      {mayStart && <Composer project={project} />}
      <ProjectWorkspaces projectId={project.id} />
    </div>
  );
}
