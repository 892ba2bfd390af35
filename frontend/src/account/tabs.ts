// The tabs of the account page. To add one, add an entry here and a component with AccountTabProps.
import { type ComponentType, lazy } from "react";
import type { AccountTabProps } from "./tabProps";

export interface AccountTab {
  name: string;
  label: string;
  Body: ComponentType<AccountTabProps>;
}

export const ACCOUNT_TABS: readonly AccountTab[] = [
  {
    name: "profile",
    label: "Profile",
    Body: lazy(() => import("./Profile").then(({ Profile }) => ({ default: Profile }))),
  },
  {
    name: "security",
    label: "Security",
    Body: lazy(() => import("./Security").then(({ Security }) => ({ default: Security }))),
  },
  {
    name: "devices",
    label: "Devices",
    Body: lazy(() => import("./Devices").then(({ Devices }) => ({ default: Devices }))),
  },
  {
    name: "tokens",
    label: "API tokens",
    Body: lazy(() => import("../tokens/MyTokens").then(({ MyTokens }) => ({ default: MyTokens }))),
  },
  {
    name: "variables",
    label: "Variables",
    Body: lazy(() =>
      import("../environment/Variables").then(({ MyVariables }) => ({ default: MyVariables })),
    ),
  },
  {
    name: "configuration",
    label: "Configuration",
    Body: lazy(() =>
      import("../configuration/StoredConfiguration").then(({ MyConfiguration }) => ({
        default: MyConfiguration,
      })),
    ),
  },
  {
    name: "mcp",
    label: "MCP servers",
    Body: lazy(() => import("../mcp/Servers").then(({ MyServers }) => ({ default: MyServers }))),
  },
  {
    name: "data",
    label: "Data",
    Body: lazy(() => import("./Data").then(({ Data }) => ({ default: Data }))),
  },
  {
    name: "budgets",
    label: "Budgets",
    Body: lazy(() => import("../budgets/MyBudgets").then(({ MyBudgets }) => ({ default: MyBudgets }))),
  },
  {
    name: "notifications",
    label: "Notifications",
    Body: lazy(() => import("./Notifications").then(({ Notifications }) => ({ default: Notifications }))),
  },
];
