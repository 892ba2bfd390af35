// The settings pages of one's account. To add one, add an entry here and a component with AccountTabProps.
import { type ComponentType, lazy } from "react";
import type { GroupName } from "../settings/groups";
import type { AccountTabProps } from "./tabProps";

export interface AccountTab {
  name: string;
  label: string;
  group: GroupName;
  Body: ComponentType<AccountTabProps>;
}

export const ACCOUNT_TABS: readonly AccountTab[] = [
  {
    name: "profile",
    label: "Profile",
    group: "people",
    Body: lazy(() => import("./Profile").then(({ Profile }) => ({ default: Profile }))),
  },
  {
    name: "security",
    label: "Security",
    group: "people",
    Body: lazy(() => import("./Security").then(({ Security }) => ({ default: Security }))),
  },
  {
    name: "devices",
    label: "Devices",
    group: "people",
    Body: lazy(() => import("./Devices").then(({ Devices }) => ({ default: Devices }))),
  },
  {
    name: "tokens",
    label: "API tokens",
    group: "people",
    Body: lazy(() => import("../tokens/MyTokens").then(({ MyTokens }) => ({ default: MyTokens }))),
  },
  {
    name: "variables",
    label: "Variables",
    group: "code",
    Body: lazy(() =>
      import("../environment/Variables").then(({ MyVariables }) => ({ default: MyVariables })),
    ),
  },
  {
    name: "configuration",
    label: "Configuration",
    group: "code",
    Body: lazy(() =>
      import("../configuration/StoredConfiguration").then(({ MyConfiguration }) => ({
        default: MyConfiguration,
      })),
    ),
  },
  {
    name: "mcp",
    label: "MCP servers",
    group: "agents",
    Body: lazy(() => import("../mcp/Servers").then(({ MyServers }) => ({ default: MyServers }))),
  },
  {
    name: "data",
    label: "Data",
    group: "records",
    Body: lazy(() => import("./Data").then(({ Data }) => ({ default: Data }))),
  },
  {
    name: "budgets",
    label: "Budgets",
    group: "agents",
    Body: lazy(() => import("../budgets/MyBudgets").then(({ MyBudgets }) => ({ default: MyBudgets }))),
  },
  {
    name: "notifications",
    label: "Notifications",
    group: "people",
    Body: lazy(() => import("./Notifications").then(({ Notifications }) => ({ default: Notifications }))),
  },
];
