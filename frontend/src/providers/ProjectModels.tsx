import type { ProjectTabProps } from "../project/tabProps";
import { ModelChoices } from "./ModelChoices";

/** The models of a project, within what its team allows. */
export function ProjectModels({ project }: ProjectTabProps) {
  return <ModelChoices place={project.id} />;
}
