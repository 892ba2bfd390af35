// The tabs of a project's settings. To add one: a line here, and a component that takes the project.
import { type ComponentType, lazy } from "react";
import type { Project } from "../api/types";
import { isAdmin, type Role } from "../permissions/approvers";

export interface ProjectTabProps {
  project: Project;
  /** Whether the person may change what is in it; the server has the last word. */
  mayChange: boolean;
}

export interface ProjectTab {
  name: string;
  label: string;
  isFor: (role: Role | null) => boolean;
  Body: ComponentType<ProjectTabProps>;
}

const everybody = (): boolean => true;

export const mayChangeProjects = isAdmin;

export const PROJECT_TABS: readonly ProjectTab[] = [
  {
    name: "general",
    label: "General",
    isFor: everybody,
    Body: lazy(() => import("./General").then(({ General }) => ({ default: General }))),
  },
  {
    name: "models",
    label: "Models",
    isFor: everybody,
    Body: lazy(() =>
      import("../providers/ProjectModels").then(({ ProjectModels }) => ({ default: ProjectModels })),
    ),
  },
];
