// API calls for agents of a session, project, team or the site, and for the overrides of one of these places.
import { api, body } from "./http";
import type { components } from "./schema";

type Schemas = components["schemas"];

export type Agent = Schemas["EffectiveAgentView"];
export type AgentSource = Schemas["AgentSourceView"];
export type Agents = Schemas["EffectiveAgents"];
export type SessionAgents = Schemas["SessionAgents"];
export type AgentRow = Schemas["AgentRowView"];
/** The overrides of a place. Missing fields are inherited; null removes an override. */
export type AgentDocument = Partial<Schemas["AgentDocument"]>;

export const listSessionAgents = (id: string) =>
  body(api.GET("/api/v1/sessions/{session_id}/agents", { params: { path: { session_id: id } } }));

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
  const content = { body: { name, document: document as Schemas["AgentDocument"] } };
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
      body: { document: document as Schemas["AgentDocument"], base_version },
    }),
  );
export const removeAgent = (id: string) => body(api.DELETE("/api/v1/agents/{agent_id}", ofAgent(id)));
