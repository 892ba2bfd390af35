// Calls about workspaces.
import { atPrefix } from "../lib/prefix";
import { api, body } from "./http";
import type { WorkspaceState } from "./types";

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

export const exportWorkspace = (id: string) =>
  body(api.POST("/api/v1/workspaces/{workspace_id}/export", of(id)));
/** Out of use now, deleted when its days are over. */
export const removeWorkspace = (id: string) => body(api.DELETE("/api/v1/workspaces/{workspace_id}", of(id)));
export const keepWorkspace = (id: string) => body(api.POST("/api/v1/workspaces/{workspace_id}/keep", of(id)));

/** Where the browser downloads the last archive from. */
export const archiveAddress = (id: string): string => atPrefix(`/api/v1/workspaces/${id}/archive`);
