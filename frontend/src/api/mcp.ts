// API calls for MCP servers of the site, of teams and projects.
import { api, body } from "./http";
import type { components } from "./schema";

type Schemas = components["schemas"];

export type McpServer = Schemas["McpServerView"];
export type McpServerDetail = Schemas["McpServerDetail"];
export type McpTool = Schemas["McpToolView"];
export type GalleryServer = Schemas["GalleryServer"];
export type NewMcpServer = Partial<Schemas["NewMcpServer"]> & Pick<Schemas["NewMcpServer"], "name" | "kind">;
export type McpToolRule = Schemas["McpToolRule"];
export type McpToolRules = Schemas["McpToolRules"];
export type McpCall = Schemas["McpCallView"];
export type McpTryResult = Schemas["McpTryResult"];
export type McpServerChange = Partial<Schemas["McpServerChange"]>;

export type McpPrompt = Schemas["McpPromptView"];
export type McpResource = Schemas["McpResourceView"];
export type DeclaredServer = Schemas["DeclaredMcpServer"];

/** Where servers belong: to the site, a team, a project or the signed-in person. */
export type McpOwner = { team: string } | { project: string } | "me" | "site";

export function listMcpServers(owner: McpOwner) {
  if (owner === "me") return body(api.GET("/api/v1/me/mcp-servers"));
  if (owner === "site") return body(api.GET("/api/v1/site/mcp-servers"));
  if ("team" in owner)
    return body(
      api.GET("/api/v1/teams/{team_id}/mcp-servers", { params: { path: { team_id: owner.team } } }),
    );
  return body(
    api.GET("/api/v1/projects/{project_id}/mcp-servers", { params: { path: { project_id: owner.project } } }),
  );
}

export function createMcpServer(owner: McpOwner, server: NewMcpServer): Promise<McpServer> {
  const given = server as Schemas["NewMcpServer"];
  if (owner === "me") return body(api.POST("/api/v1/me/mcp-servers", { body: given }));
  if (owner === "site") return body(api.POST("/api/v1/site/mcp-servers", { body: given }));
  if ("team" in owner)
    return body(
      api.POST("/api/v1/teams/{team_id}/mcp-servers", {
        params: { path: { team_id: owner.team } },
        body: given,
      }),
    );
  return body(
    api.POST("/api/v1/projects/{project_id}/mcp-servers", {
      params: { path: { project_id: owner.project } },
      body: given,
    }),
  );
}

export const listDeclaredServers = (projectId: string) =>
  body(
    api.GET("/api/v1/projects/{project_id}/declared-mcp-servers", {
      params: { path: { project_id: projectId } },
    }),
  );

export const listMcpPrompts = (sessionId: string) =>
  body(api.GET("/api/v1/sessions/{session_id}/mcp-prompts", { params: { path: { session_id: sessionId } } }));

export const listMcpResources = (sessionId: string) =>
  body(
    api.GET("/api/v1/sessions/{session_id}/mcp-resources", { params: { path: { session_id: sessionId } } }),
  );

/** The text of a prompt, as its server writes it for these arguments. */
export const getMcpPrompt = (
  sessionId: string,
  { server_id, name }: McpPrompt,
  args: Record<string, string>,
) =>
  body(
    api.POST("/api/v1/sessions/{session_id}/mcp-prompts", {
      params: { path: { session_id: sessionId } },
      body: { server_id, name, arguments: args },
    }),
  );

/** Values that the server suggests for an argument of a prompt. */
export const completeMcpArgument = (
  sessionId: string,
  { server_id, name }: McpPrompt,
  typed: { argument: string; value: string; arguments: Record<string, string> },
) =>
  body(
    api.POST("/api/v1/sessions/{session_id}/mcp-prompts/complete", {
      params: { path: { session_id: sessionId } },
      body: { server_id, name, ...typed },
    }),
  );

export const listGallery = () => body(api.GET("/api/v1/mcp-gallery"));

const ofServer = (id: string) => ({ params: { path: { mcp_server_id: id } } });

export const readMcpServer = (id: string) =>
  body(api.GET("/api/v1/mcp-servers/{mcp_server_id}", ofServer(id)));

export const changeMcpServer = (id: string, change: McpServerChange) =>
  body(
    api.PATCH("/api/v1/mcp-servers/{mcp_server_id}", {
      ...ofServer(id),
      body: change as Schemas["McpServerChange"],
    }),
  );

export const removeMcpServer = (id: string) =>
  body(api.DELETE("/api/v1/mcp-servers/{mcp_server_id}", ofServer(id)));

export const acceptMcpTools = (id: string, tools: Record<string, string>) =>
  body(api.POST("/api/v1/mcp-servers/{mcp_server_id}/accept", { ...ofServer(id), body: { tools } }));

/** Connects to a server now. A local one is started again in the workspace. */
export const checkMcpServer = (id: string, workspaceId: string) =>
  body(
    api.POST("/api/v1/mcp-servers/{mcp_server_id}/check", {
      ...ofServer(id),
      body: { workspace_id: workspaceId },
    }),
  );

/** Begins a sign-in at a remote server. The browser goes on at the address of the answer. */
export const beginMcpSignIn = (id: string) =>
  body(api.POST("/api/v1/mcp-servers/{mcp_server_id}/sign-in", ofServer(id)));

export const signOutOfMcp = (id: string) =>
  body(api.POST("/api/v1/mcp-servers/{mcp_server_id}/sign-out", ofServer(id)));

export const readMcpLog = (id: string, workspaceId: string) =>
  body(
    api.GET("/api/v1/workspaces/{workspace_id}/mcp-servers/{mcp_server_id}/log", {
      params: { path: { workspace_id: workspaceId, mcp_server_id: id } },
    }),
  );

const inProject = (project: string, server: string) => ({
  params: { path: { project_id: project, mcp_server_id: server } },
});

/** What the rules of a project decide about each tool of a server. */
export const readMcpRules = (project: string, server: string) =>
  body(
    api.GET("/api/v1/projects/{project_id}/mcp-servers/{mcp_server_id}/rules", inProject(project, server)),
  );

export const listMcpCalls = (project: string, server: string) =>
  body(
    api.GET("/api/v1/projects/{project_id}/mcp-servers/{mcp_server_id}/calls", inProject(project, server)),
  );

/** Calls a tool in a workspace. `confirmed` answers the request that the rules ask for. */
export const tryMcpTool = (workspace: string, server: string, call: Schemas["McpTry"]) =>
  body(
    api.POST("/api/v1/workspaces/{workspace_id}/mcp-servers/{mcp_server_id}/try", {
      params: { path: { workspace_id: workspace, mcp_server_id: server } },
      body: call,
    }),
  );
