// The tabs of a project's settings. To add one, add an entry here and a component with ProjectTabProps.
import { type ComponentType, lazy } from "react";
import type { Project } from "../api/types";
import { isAdmin, type Role } from "../permissions/approvers";

export interface ProjectTabProps {
  project: Project;
  /** Whether the person can change the tab's settings. The server checks it again. */
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
