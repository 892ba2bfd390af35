import { type FormEvent, useState } from "react";
import { changeProject } from "../api/teams";
import type { Project } from "../api/types";
import { keys, queryClient } from "../app/queries";
import { DeletionSection } from "../team/DeletionSection";
import { FieldsProblem } from "../ui/FieldsProblem";
import { useAction } from "../ui/useAction";
import { DefaultAgentField } from "./DefaultAgentField";
import type { ProjectTabProps } from "./tabProps";

const FIELDS = ["name", "description", "suggested_prompt", "default_agent"] as const;
type Draft = Pick<Project, (typeof FIELDS)[number]>;

const draftOf = (project: Project): Draft => ({
  name: project.name,
  description: project.description,
  suggested_prompt: project.suggested_prompt,
  default_agent: project.default_agent,
});

export function General({ project, mayChange }: ProjectTabProps) {
  return (
    <>
      <Fields project={project} mayChange={mayChange} />
      {mayChange && (
        <DeletionSection
          id={project.id}
          name={project.name}
          kind="project"
          removeAt={project.remove_at}
          refresh={refreshProjects}
        />
      )}
    </>
  );
}

const refreshProjects = () => queryClient.invalidateQueries({ queryKey: keys.projects });

function Fields({ project, mayChange }: ProjectTabProps) {
  const [draft, setDraft] = useState(() => draftOf(project));
  const { run, busy, error } = useAction();
  const readOnly = !mayChange || !!project.remove_at;
  const changed = FIELDS.filter((field) => draft[field] !== project[field]);
  const set = (field: keyof Draft) => (event: { target: { value: string } }) =>
    setDraft({ ...draft, [field]: event.target.value });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void run(async () => {
      const change = Object.fromEntries(changed.map((field) => [field, draft[field]]));
      setDraft(draftOf(await changeProject(project.id, change)));
      await refreshProjects();
    });
  };
  return (
    <form className="settings-form stack items-start gap-16" onSubmit={submit} aria-label="General settings">
      {readOnly && (
        <p className="read-only note">
          You can view these settings. Only admins of the team can change them.
        </p>
      )}
      <label className="field">
        <span>Name</span>
        <input required maxLength={120} readOnly={readOnly} value={draft.name} onChange={set("name")} />
      </label>
      <label className="field">
        <span>Description</span>
        <textarea rows={3} readOnly={readOnly} value={draft.description} onChange={set("description")} />
      </label>
      <label className="field">
        <span>Suggested first prompt</span>
        <textarea
          rows={2}
          readOnly={readOnly}
          value={draft.suggested_prompt}
          onChange={set("suggested_prompt")}
        />
      </label>
      <DefaultAgentField
        projectId={project.id}
        disabled={readOnly}
        value={draft.default_agent}
        onChange={set("default_agent")}
      />
      {error !== null && <FieldsProblem error={error} />}
      {!readOnly && (
        <div className="line gap-12">
          <button type="submit" className="button primary" disabled={busy || changed.length === 0}>
            Save
          </button>
          <span className="muted" role="status">
            {changed.length === 0 ? "No changes." : ""}
          </span>
        </div>
      )}
    </form>
  );
}
