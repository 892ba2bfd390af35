import "../styles/providers.css";
import type { ProjectTabProps } from "../project/tabs";
import { ModelChoices } from "./ModelChoices";

/** What a project says about the models of its sessions; it narrows what its team allows. */
export function ProjectModels({ project }: ProjectTabProps) {
  return <ModelChoices place={project.id} />;
}
