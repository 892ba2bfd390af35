import { useState } from "react";
import { useLocation } from "wouter";
import { createSession, sendPrompt } from "../api/endpoints";
import { ApiError } from "../api/http";
import type { Project } from "../api/types";
import { useTabTitle } from "../app/live";
import { useNewSession } from "../app/newSession";
import { refreshSessions, useProject } from "../app/queries";
import { useWaiting } from "../app/waiting";
import { writeDraft } from "../conversation/draft";
import { randomKey } from "../lib/random";
import { Icon } from "../ui/Icon";
import { Problem, Skeleton } from "../ui/Notice";
import { LeftColumn } from "../workbench/columns";
import { SessionList } from "../workbench/SessionList";
import { NotFound } from "./NotFound";

export function ProjectPage({ projectId }: { projectId: string }) {
  const project = useProject(projectId);
  useTabTitle(project.data?.name ?? "", useWaiting().count);
  if (project.error instanceof ApiError && project.error.status === 404) return <NotFound what="project" />;
  return (
    <div className="workbench">
      <LeftColumn>
        <SessionList projectId={projectId} />
      </LeftColumn>
      <main className="project-intro" id="main">
        {project.isPending && <Skeleton rows={3} label="Loading the project" />}
        {project.error && <Problem error={project.error} />}
        {project.data && <Intro project={project.data} />}
      </main>
    </div>
  );
}

function Intro({ project }: { project: Project }) {
  const { create, busy, error } = useNewSession(project.id);
  const suggested = useSuggested(project);
  return (
    <div className="intro">
      <h1>{project.name}</h1>
      {project.description && <p className="intro-text">{project.description}</p>}
      {project.suggested_prompt && (
        <button
          type="button"
          className="suggestion"
          data-testid="suggested-prompt"
          disabled={suggested.busy}
          onClick={suggested.start}
        >
          <span className="suggestion-label">Start with</span>
          <span>{project.suggested_prompt}</span>
          <Icon name="send" />
        </button>
      )}
      <div className="intro-actions">
        <button type="button" className="button" disabled={busy} onClick={() => create()}>
          <Icon name="plus" /> Empty session
        </button>
      </div>
      {(error ?? suggested.error) !== null && <Problem error={error ?? suggested.error} />}
    </div>
  );
}

/** One click: a new session with the suggestion sent. Should sending fail, it waits in the prompt box. */
function useSuggested(project: Project) {
  const [, go] = useLocation();
  const [error, setError] = useState<unknown>(null);
  const [busy, setBusy] = useState(false);
  const start = async () => {
    setBusy(true);
    setError(null);
    try {
      const session = await createSession(project.id);
      writeDraft(session.id, project.suggested_prompt);
      refreshSessions();
      await sendPrompt(session.id, project.suggested_prompt, randomKey())
        .then(() => writeDraft(session.id, ""))
        .finally(() => go(`/sessions/${session.id}`));
    } catch (problem) {
      setError(problem);
    } finally {
      setBusy(false);
    }
  };
  return { start, busy, error };
}
