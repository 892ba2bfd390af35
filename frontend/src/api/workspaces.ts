// API calls for workspaces.
import { atPrefix } from "../lib/prefix";
import { api, body } from "./http";
import type { WorkspaceState } from "./types";

const PAGE_SIZE = 50;

export interface WorkspaceFilter {
  project?: string;
  state?: WorkspaceState;
}

export const listWorkspaces = (filter: WorkspaceFilter, cursor?: string) =>
  body(
    api.GET("/api/v1/workspaces", {
      params: { query: { limit: PAGE_SIZE, ...filter, ...(cursor ? { cursor } : {}) } },
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
/** Stops the workspace. `force` also interrupts calls that run in it. */
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
/** Starts the deletion: the workspace is deactivated now and deleted after the grace period. */
export const removeWorkspace = (id: string) => body(api.DELETE("/api/v1/workspaces/{workspace_id}", of(id)));
export const cancelWorkspaceDeletion = (id: string) =>
  body(api.POST("/api/v1/workspaces/{workspace_id}/keep", of(id)));

/** Returns the URL of the last archive. */
export const archiveAddress = (id: string): string => atPrefix(`/api/v1/workspaces/${id}/archive`);
