// Agents: how they work in a session, a project, a team or the site, and what one of these places says about them.
import { body, api as typed } from "./http";
import type { components } from "./schema";

type Schemas = components["schemas"];
type Call = <Answer>(path: string, options?: unknown) => Promise<{ data?: Answer }>;
const api = typed as unknown as Record<"GET" | "POST" | "PATCH" | "DELETE", Call>;
type Rule = Schemas["RuleView"];

export interface AgentSource {
  origin: "built-in" | "site" | "team" | "project" | "file";
  id: string;
  path: string;
  fields: string[];
}
export interface Agent {
  name: string;
  description: string;
  mode: "primary" | "subagent" | "all";
  model: string;
  variant: string;
  prompt: string;
  temperature: number | null;
  top_p: number | null;
  steps: number;
  color: string;
  hidden: boolean;
  disabled: boolean;
  options: Record<string, unknown>;
  permission: Rule[];
  file_permission: Rule[];
  built_in: boolean;
  selectable: boolean;
  callable: boolean;
  sources: AgentSource[];
  problems: string[];
}
export interface Agents {
  items: Agent[];
  default: string;
  models: string[];
  can_edit: boolean;
}
export interface SessionAgents {
  items: Agent[];
  current: string;
  callable: string[];
}
/** The fields that a place says; what is left out stays as other places have it, null takes it back. */
export type AgentDocument = {
  [Name in Exclude<
    keyof Agent,
    "name" | "disabled" | "file_permission" | "built_in" | "selectable" | "callable" | "sources" | "problems"
  >]?: Agent[Name] | null;
} & { disable?: boolean | null };
export interface AgentRow {
  id: string;
  place: string;
  name: string;
  document: Record<string, unknown>;
  version: number;
  changed_by: Schemas["PersonView"] | null;
  changed_at: string;
  created_at: string;
  can_edit: boolean;
}

export const listSessionAgents = (id: string) =>
  body(
    api.GET<SessionAgents>("/api/v1/sessions/{session_id}/agents", { params: { path: { session_id: id } } }),
  );

const ofTeam = (id: string) => ({ params: { path: { team_id: id } } });
const ofProject = (id: string) => ({ params: { path: { project_id: id } } });

/** `place` is "site" or the id of a team or a project. */
export function listAgents(place: string): Promise<Agents> {
  if (place === "site") return body(api.GET("/api/v1/site/agents"));
  return place.startsWith("tea_")
    ? body(api.GET("/api/v1/teams/{team_id}/agents", ofTeam(place)))
    : body(api.GET("/api/v1/projects/{project_id}/agents", ofProject(place)));
}

export function createAgent(place: string, name: string, document: AgentDocument): Promise<AgentRow> {
  const content = { body: { name, document } };
  if (place === "site") return body(api.POST("/api/v1/site/agents", content));
  return place.startsWith("tea_")
    ? body(api.POST("/api/v1/teams/{team_id}/agents", { ...ofTeam(place), ...content }))
    : body(api.POST("/api/v1/projects/{project_id}/agents", { ...ofProject(place), ...content }));
}

const ofAgent = (id: string) => ({ params: { path: { agent_id: id } } });

export const readAgent = (id: string): Promise<AgentRow> =>
  body(api.GET("/api/v1/agents/{agent_id}", ofAgent(id)));
export const changeAgent = (id: string, document: AgentDocument, base_version: number): Promise<AgentRow> =>
  body(
    api.PATCH("/api/v1/agents/{agent_id}", {
      ...ofAgent(id),
      body: { document, base_version },
    }),
  );
export const removeAgent = (id: string) => body(api.DELETE("/api/v1/agents/{agent_id}", ofAgent(id)));
