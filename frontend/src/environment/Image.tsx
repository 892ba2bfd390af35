import { useQuery } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { chooseProjectImage, type ProjectImage, readProjectImage } from "../api/images";
import { queryClient } from "../app/queries";
import { visibleLine } from "../lib/visible";
import type { ProjectTabProps } from "../project/tabProps";
import { Problem, Skeleton } from "../ui/Notice";
import { useAction } from "../ui/useAction";

const keyOf = (projectId: string) => ["image", projectId];

/** The image of the project's workspaces, and the choice among those that operators registered. */
export function Image(props: ProjectTabProps) {
  const { id } = props.project;
  const image = useQuery({ queryKey: keyOf(id), queryFn: () => readProjectImage(id) });
  return (
    <section className="settings-section stack gap-16 ruled-top" aria-label="Image">
      <h2>Image</h2>
      {image.isPending && <Skeleton rows={2} label="Loading the image" />}
      {image.error && !image.data && <Problem error={image.error} onRetry={image.refetch} />}
      {image.data && <Choice chosen={image.data} {...props} />}
    </section>
  );
}

function Choice({ chosen, project, mayChange }: ProjectTabProps & { chosen: ProjectImage }) {
  const [draft, setDraft] = useState(chosen.image);
  const [before, setBefore] = useState(chosen.image);
  const { run, busy, error } = useAction();
  if (chosen.image !== before) {
    setBefore(chosen.image);
    setDraft(chosen.image);
  }
  const readOnly = !mayChange || !!project.remove_at;
  const described = chosen.images.find(({ name }) => name === draft)?.description;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void run(async () => {
      try {
        queryClient.setQueryData(keyOf(project.id), await chooseProjectImage(project.id, draft, chosen.tag));
      } catch (problem) {
        await queryClient.invalidateQueries({ queryKey: keyOf(project.id) });
        throw problem;
      }
    });
  };
  return (
    <form className="settings-form stack items-start gap-16" onSubmit={submit} aria-label="Choose an image">
      <label className="field">
        <span>Programs of a workspace</span>
        <select value={draft} disabled={readOnly} onChange={(event) => setDraft(event.target.value)}>
          {chosen.images.map(({ name, refused_by }) => (
            <option key={name} value={name} disabled={refused_by !== "" && name !== chosen.image}>
              {refused_by ? `${name} (refused by the policy of the ${refused_by})` : name}
            </option>
          ))}
        </select>
      </label>
      <p className="muted">
        {described && `${visibleLine(described)}. `}
        {chosen.images.length === 1
          ? "Operators of the site can register others."
          : "A workspace that runs keeps its image until it is stopped or rebuilt. Set-up then runs again."}
      </p>
      {chosen.wanted && <Wanted wanted={chosen.wanted} />}
      {chosen.problem && (
        <p className="text-failed" role="status">
          {chosen.problem}
        </p>
      )}
      {error !== null && <Problem error={error} />}
      {!readOnly && chosen.images.length > 1 && (
        <button type="submit" className="button primary" disabled={busy || draft === chosen.image}>
          Choose image
        </button>
      )}
    </form>
  );
}

/** The image that the repository asks for, and whether it is used. */
function Wanted({ wanted }: { wanted: NonNullable<ProjectImage["wanted"]> }) {
  return (
    <p className="break-anywhere" role="status">
      <code>{visibleLine(wanted.source)}</code> asks for <code>{visibleLine(wanted.image)}</code>.{" "}
      {wanted.note
        ? visibleLine(wanted.note)
        : `Workspaces use it: operators registered it as ${wanted.name}.`}
    </p>
  );
}
