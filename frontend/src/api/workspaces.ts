// Calls about workspaces.
import { atPrefix } from "../lib/prefix";
import { ApiError, api, body, raw } from "./http";
import type { WorkspaceState } from "./types";
import type { WorkspaceDetail } from "./workspaceTypes";

const PAGE = 50;

export interface WorkspaceFilter {
  project?: string;
  state?: WorkspaceState;
}

export const listWorkspaces = (filter: WorkspaceFilter, cursor: string | null) =>
  body(
    api.GET("/api/v1/workspaces", {
      params: { query: { limit: PAGE, ...filter, ...(cursor ? { cursor } : {}) } },
    }),
  );

const of = (id: string) => ({ params: { path: { workspace_id: id } } });

export const readWorkspace = (id: string) => body(api.GET("/api/v1/workspaces/{workspace_id}", of(id)));
export const readUsage = (id: string) => body(api.GET("/api/v1/workspaces/{workspace_id}/usage", of(id)));
export const listBackground = (id: string) =>
  body(api.GET("/api/v1/workspaces/{workspace_id}/background", of(id)));
export const stopBackground = (id: string, callId: string) =>
  body(
    api.POST("/api/v1/workspaces/{workspace_id}/background/{call_id}/stop", {
      params: { path: { workspace_id: id, call_id: callId } },
    }),
  );

export const startWorkspace = (id: string) =>
  body(api.POST("/api/v1/workspaces/{workspace_id}/start", of(id)));
/** `force`: also while calls run in it, which then end, perhaps half done. */
export const stopWorkspace = (id: string, force: boolean) =>
  body(
    api.POST("/api/v1/workspaces/{workspace_id}/stop", {
      params: { path: { workspace_id: id }, query: force ? { force } : {} },
    }),
  );
export const restartWorkspace = (id: string) =>
  body(api.POST("/api/v1/workspaces/{workspace_id}/restart", of(id)));
export const rebuildWorkspace = (id: string) =>
  body(api.POST("/api/v1/workspaces/{workspace_id}/rebuild", of(id)));
export const checkWorkspace = (id: string) =>
  body(api.POST("/api/v1/workspaces/{workspace_id}/check", of(id)));

const at = (id: string) => `/api/v1/workspaces/${id}`;
async function ask(method: string, path: string): Promise<WorkspaceDetail> {
  const { status, body } = await raw(method, path);
  if (status >= 400) throw new ApiError(status, "failed", "The site refused this.");
  return body as WorkspaceDetail;
}
export const exportWorkspace = (id: string) => ask("POST", `${at(id)}/export`);
export const removeWorkspace = (id: string) => ask("DELETE", at(id));
export const keepWorkspace = (id: string) => ask("POST", `${at(id)}/keep`);

/** Where the browser downloads the last archive from. */
export const archiveAddress = (id: string): string => atPrefix(`${at(id)}/archive`);
