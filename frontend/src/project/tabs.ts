// The settings pages of a project. To add one, add an entry here and a component with ProjectTabProps.
import { type ComponentType, lazy } from "react";
import { isAdmin, type Role } from "../permissions/approvers";
import type { GroupName } from "../settings/groups";
import type { ProjectTabProps } from "./tabProps";

export interface ProjectTab {
  name: string;
  label: string;
  group: GroupName;
  isFor: (role: Role | null) => boolean;
  Body: ComponentType<ProjectTabProps>;
}

const everybody = (): boolean => true;

export const mayChangeProjects = isAdmin;

export const PROJECT_TABS: readonly ProjectTab[] = [
  {
    name: "general",
    label: "General",
    group: "people",
    isFor: everybody,
    Body: lazy(() => import("./General").then(({ General }) => ({ default: General }))),
  },
  {
    name: "repository",
    label: "Repository",
    group: "code",
    isFor: everybody,
    Body: lazy(() =>
      import("../repositories/RepositoryTab").then(({ RepositoryTab }) => ({ default: RepositoryTab })),
    ),
  },
  {
    name: "environment",
    label: "Environment",
    group: "code",
    isFor: everybody,
    Body: lazy(() =>
      import("../environment/EnvironmentPage").then(({ EnvironmentPage }) => ({ default: EnvironmentPage })),
    ),
  },
  {
    name: "configuration",
    label: "Configuration",
    group: "code",
    isFor: everybody,
    Body: lazy(() =>
      import("../configuration/StoredConfiguration").then(({ ProjectConfiguration }) => ({
        default: ProjectConfiguration,
      })),
    ),
  },
  {
    name: "memory",
    label: "Memory",
    group: "agents",
    isFor: everybody,
    Body: lazy(() => import("../memory/Memory").then(({ ProjectMemory }) => ({ default: ProjectMemory }))),
  },
  {
    name: "mcp",
    label: "MCP servers",
    group: "agents",
    isFor: everybody,
    Body: lazy(() => import("../mcp/Servers").then(({ ProjectServers }) => ({ default: ProjectServers }))),
  },
  {
    name: "models",
    label: "Models",
    group: "agents",
    isFor: everybody,
    Body: lazy(() =>
      import("../providers/ProjectModels").then(({ ProjectModels }) => ({ default: ProjectModels })),
    ),
  },
];
