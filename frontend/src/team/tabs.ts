// The settings pages of a team. To add one, add an entry here and a component with TeamTabProps.
import { type ComponentType, lazy } from "react";
import { isAdmin, type Role } from "../permissions/approvers";
import type { GroupName } from "../settings/groups";
import type { TeamTabProps } from "./tabProps";

export interface TeamTab {
  name: string;
  label: string;
  group: GroupName;
  /** Whether the tab is shown for a role. The server checks access to its content. */
  isFor: (role: Role) => boolean;
  Body: ComponentType<TeamTabProps>;
}

const everybody = (): boolean => true;

export const TEAM_TABS: readonly TeamTab[] = [
  {
    name: "members",
    label: "Members",
    group: "people",
    isFor: everybody,
    Body: lazy(() => import("./Members").then(({ Members }) => ({ default: Members }))),
  },
  {
    name: "invitations",
    label: "Invitations",
    group: "people",
    isFor: isAdmin,
    Body: lazy(() => import("./Invitations").then(({ Invitations }) => ({ default: Invitations }))),
  },
  {
    name: "repositories",
    label: "Repositories",
    group: "code",
    isFor: everybody,
    Body: lazy(() =>
      import("../repositories/Connections").then(({ Connections }) => ({ default: Connections })),
    ),
  },
  {
    name: "budgets",
    label: "Budgets",
    group: "agents",
    isFor: everybody,
    Body: lazy(() => import("../budgets/TeamBudgets").then(({ TeamBudgets }) => ({ default: TeamBudgets }))),
  },
  {
    name: "tokens",
    label: "Service accounts",
    group: "people",
    isFor: isAdmin,
    Body: lazy(() =>
      import("../tokens/ServiceAccounts").then(({ ServiceAccounts }) => ({ default: ServiceAccounts })),
    ),
  },
  {
    name: "variables",
    label: "Variables",
    group: "code",
    isFor: everybody,
    Body: lazy(() =>
      import("../environment/Variables").then(({ TeamVariables }) => ({ default: TeamVariables })),
    ),
  },
  {
    name: "configuration",
    label: "Configuration",
    group: "code",
    isFor: everybody,
    Body: lazy(() =>
      import("../configuration/StoredConfiguration").then(({ TeamConfiguration }) => ({
        default: TeamConfiguration,
      })),
    ),
  },
  {
    name: "mcp",
    label: "MCP servers",
    group: "agents",
    isFor: everybody,
    Body: lazy(() => import("../mcp/Servers").then(({ TeamServers }) => ({ default: TeamServers }))),
  },
  {
    name: "webhooks",
    label: "Webhooks",
    group: "records",
    isFor: isAdmin,
    Body: lazy(() => import("../webhooks/Webhooks").then(({ Webhooks }) => ({ default: Webhooks }))),
  },
  {
    name: "providers",
    label: "Providers",
    group: "agents",
    isFor: isAdmin,
    Body: lazy(() => import("../providers/Providers").then(({ Providers }) => ({ default: Providers }))),
  },
  {
    name: "usage",
    label: "Usage",
    group: "records",
    isFor: everybody,
    Body: lazy(() => import("../usage/Usage").then(({ Usage }) => ({ default: Usage }))),
  },
  {
    name: "sharing",
    label: "Sharing",
    group: "people",
    isFor: isAdmin,
    Body: lazy(() => import("../together/TeamSharing").then(({ TeamSharing }) => ({ default: TeamSharing }))),
  },
  {
    name: "audit",
    label: "Audit log",
    group: "records",
    isFor: isAdmin,
    Body: lazy(() => import("../pages/AuditPage").then(({ AuditTab }) => ({ default: AuditTab }))),
  },
  {
    name: "settings",
    label: "General",
    group: "people",
    isFor: everybody,
    Body: lazy(() => import("./TeamSettings").then(({ TeamSettings }) => ({ default: TeamSettings }))),
  },
];
