// API calls for connections to forges, and for the repositories of projects.
import { api, body } from "./http";
import type { components } from "./schema";

type Schemas = components["schemas"];

export type Connection = Schemas["ConnectionView"];
export type ConnectionKind = Connection["kind"];
export type ConnectionReport = Schemas["ConnectionReport"];
export type NewConnection = Pick<Schemas["NewConnection"], "kind"> & Partial<Schemas["NewConnection"]>;
export type Credential = Partial<Schemas["ReplacedCredential"]>;
export type Repository = Schemas["RepositoryView"];
export type RefList = Schemas["RefList"];
export type ChosenRepository = Partial<Schemas["ChosenRepository"]>;
export type ProjectRepository = Schemas["ProjectRepositoryView"];
export type ProjectRepositoryState = Schemas["ProjectRepositoryState"];
export type ProjectRepositoryChange = Partial<Schemas["ProjectRepositoryChange"]>;
export type TeamCommits = Schemas["TeamCommitsView"];
export type TeamCommitsChange = Partial<Schemas["TeamCommitsChange"]>;

const ofConnection = (connection_id: string) => ({ params: { path: { connection_id } } });
const ofProject = (project_id: string) => ({ params: { path: { project_id } } });

export const listConnections = (teamId: string) =>
  body(
    api.GET("/api/v1/teams/{team_id}/connections", {
      params: { path: { team_id: teamId }, query: { limit: 100 } },
    }),
  );
export const createConnection = (teamId: string, connection: NewConnection) =>
  body(
    api.POST("/api/v1/teams/{team_id}/connections", {
      params: { path: { team_id: teamId } },
      body: connection as Schemas["NewConnection"],
    }),
  );
export const testConnection = (id: string) =>
  body(api.POST("/api/v1/connections/{connection_id}/test", ofConnection(id)));
export const revokeConnection = (id: string) =>
  body(api.POST("/api/v1/connections/{connection_id}/revoke", ofConnection(id)));
export const removeConnection = (id: string) =>
  body(api.DELETE("/api/v1/connections/{connection_id}", ofConnection(id)));
export const replaceCredential = (id: string, credential: Credential) =>
  body(
    api.PUT("/api/v1/connections/{connection_id}/credential", {
      ...ofConnection(id),
      body: credential as Schemas["ReplacedCredential"],
    }),
  );
export const searchRepositories = (id: string, search: string) =>
  body(
    api.GET("/api/v1/connections/{connection_id}/repositories", {
      params: { path: { connection_id: id }, query: { search } },
    }),
  );

/** Where branches are looked up: at a connection, at a public address, or in the repository of a project. */
export type RefSource =
  | { connection: string; repository?: string; url?: string }
  | { team: string; url: string }
  | { project: string };

export function listRefs(source: RefSource, search: string): Promise<RefList> {
  if ("project" in source)
    return body(
      api.GET("/api/v1/projects/{project_id}/branches", {
        params: { path: { project_id: source.project }, query: { search } },
      }),
    );
  if ("team" in source)
    return body(
      api.GET("/api/v1/teams/{team_id}/branches", {
        params: { path: { team_id: source.team }, query: { url: source.url, search } },
      }),
    );
  const { connection, ...query } = source;
  return body(
    api.GET("/api/v1/connections/{connection_id}/branches", {
      params: { path: { connection_id: connection }, query: { ...query, search } },
    }),
  );
}

export const readProjectRepository = (projectId: string) =>
  body(api.GET("/api/v1/projects/{project_id}/repository", ofProject(projectId)));
export const changeProjectRepository = (projectId: string, change: ProjectRepositoryChange) =>
  body(
    api.PUT("/api/v1/projects/{project_id}/repository", {
      ...ofProject(projectId),
      body: change as Schemas["ProjectRepositoryChange"],
    }),
  );
export const removeProjectRepository = (projectId: string) =>
  body(api.DELETE("/api/v1/projects/{project_id}/repository", ofProject(projectId)));
export const readTeamCommits = (teamId: string) =>
  body(api.GET("/api/v1/teams/{team_id}/commits", { params: { path: { team_id: teamId } } }));
export const changeTeamCommits = (teamId: string, change: TeamCommitsChange) =>
  body(
    api.PUT("/api/v1/teams/{team_id}/commits", {
      params: { path: { team_id: teamId } },
      body: change as Schemas["TeamCommitsChange"],
    }),
  );
export const replaceSigningKey = (teamId: string) =>
  body(api.POST("/api/v1/teams/{team_id}/signing-key", { params: { path: { team_id: teamId } } }));
