// The navigation of the settings area: levels (account, team, project, site), groups, and the pages of each.

import { accountPath } from "../account/paths";
import { ACCOUNT_TABS } from "../account/tabs";
import { agentsPath } from "../agents/paths";
import type { Me, Project } from "../api/types";
import { policyPath } from "../policies/paths";
import { projectSettingsPath } from "../project/paths";
import { PROJECT_TABS } from "../project/tabs";
import { teamPath } from "../team/paths";
import { TEAM_TABS } from "../team/tabs";
import { workspacesPath } from "../workspaces/paths";
import { GROUPS, type GroupName } from "./groups";

export type Level =
  | { kind: "account" }
  | { kind: "site" }
  | { kind: "team"; team: Me["teams"][number] }
  | { kind: "project"; project: Project; role: Me["teams"][number]["role"] | null };

export interface SettingsPage {
  /** The same page has the same name at every level. */
  name: string;
  label: string;
  group: GroupName;
  href: string;
}

type Page = [name: string, label: string, group: GroupName, href: string];
const page = ([name, label, group, href]: Page): SettingsPage => ({ name, label, group, href });

const shared = (place: string): SettingsPage[] => [
  page(["agents", "Agents", "agents", agentsPath(place)]),
  page(["policy", "Policy", "agents", policyPath(place)]),
];

const SITE_PAGES: readonly SettingsPage[] = [
  ...shared("site"),
  page(["models", "Known models", "agents", "/known-models"]),
  page(["mcp", "MCP servers", "agents", "/mcp-servers"]),
  page(["configuration", "Configuration", "code", "/configuration"]),
  page(["workspaces", "Workspaces", "code", workspacesPath()]),
];

/** Returns the pages of a level that the person can open, in the order of the groups. */
export function pagesOf(level: Level): SettingsPage[] {
  const pages = allPages(level);
  return GROUPS.flatMap((group) => pages.filter((item) => item.group === group));
}

function allPages(level: Level): readonly SettingsPage[] {
  switch (level.kind) {
    case "site":
      return SITE_PAGES;
    case "account":
      return ACCOUNT_TABS.map(({ name, label, group }) => page([name, label, group, accountPath(name)]));
    case "team": {
      const { id, role } = level.team;
      return [
        ...shared(id),
        ...TEAM_TABS.filter((tab) => tab.isFor(role)).map(({ name, label, group }) =>
          page([name, label, group, teamPath(id, name)]),
        ),
      ];
    }
    case "project": {
      const { id } = level.project;
      return [
        ...shared(id),
        ...PROJECT_TABS.filter((tab) => tab.isFor(level.role)).map(({ name, label, group }) =>
          page([name, label, group, projectSettingsPath(id, name)]),
        ),
        page(["workspaces", "Workspaces", "code", workspacesPath(id)]),
      ];
    }
  }
}

export const levelId = (level: Level): string => {
  if (level.kind === "team") return level.team.id;
  return level.kind === "project" ? level.project.id : level.kind;
};

export const levelName = (level: Level): string => {
  if (level.kind === "team") return level.team.name;
  if (level.kind === "project") return level.project.name;
  return level.kind === "site" ? "Site" : "Your account";
};

/** Returns the address of the same page at another level, or of its first page if it has no such page. */
export function pathAt(level: Level, name: string): string {
  const pages = pagesOf(level);
  return (pages.find((item) => item.name === name) ?? pages[0])?.href ?? "/";
}
