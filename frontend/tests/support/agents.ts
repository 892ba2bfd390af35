import { NEW_AGENT } from "../../src/agents/fields";
import type { Agent, AgentRow, Agents } from "../../src/api/agents";

export const agent = (name: string, over: Partial<Agent> = {}): Agent => ({
  ...NEW_AGENT,
  name,
  mode: "primary",
  description: `What ${name} is for`,
  built_in: true,
  callable: false,
  sources: [{ origin: "built-in", id: "", path: "", fields: [] }],
  ...over,
});

export const subAgent = (name: string, over: Partial<Agent> = {}): Agent =>
  agent(name, { mode: "subagent", selectable: false, callable: true, ...over });

export const agents = (items: Agent[], over: Partial<Agents> = {}): Agents => ({
  items,
  default: "build",
  models: ["demo", "small"],
  problems: [],
  can_edit: true,
  ...over,
});

export const agentRow = (over: Partial<AgentRow> = {}): AgentRow => ({
  id: "agt_1",
  place: "prj_1",
  name: "build",
  document: {},
  version: 3,
  changed_by: null,
  changed_at: "2026-01-01T00:00:00Z",
  created_at: "2026-01-01T00:00:00Z",
  can_edit: true,
  ...over,
});

export const SESSION_AGENTS = {
  body: {
    items: [agent("build"), agent("plan"), subAgent("explore"), subAgent("general")],
    current: "build",
    callable: ["explore", "general"],
  },
};
