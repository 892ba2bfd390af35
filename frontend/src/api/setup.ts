// API calls for the set-up of a project's workspaces.
import { api, body, type Versioned, versioned } from "./http";
import type { components } from "./schema";

type Schemas = components["schemas"];

export type ProjectSetup = Schemas["SetupView"] & Versioned;
export type WorkspaceServices = Schemas["WorkspaceServicesView"];
export type SetupRun = Schemas["SetupRunView"];

const LISTED_RUNS = 10;
const ofProject = (project_id: string) => ({ path: { project_id } });

export const readProjectSetup = (projectId: string) =>
  versioned(api.GET("/api/v1/projects/{project_id}/setup", { params: ofProject(projectId) }));
/**
 * Replaces the script or the services of the version `tag`; what is not given stays. Fails with
 * `precondition_failed` if there is a newer version.
 */
export const saveSetup = (
  projectId: string,
  texts: { script: string } | { services: string },
  tag: string,
): Promise<ProjectSetup> =>
  versioned(
    api.PUT("/api/v1/projects/{project_id}/setup", {
      params: { ...ofProject(projectId), header: { "If-Match": tag } },
      body: texts,
    }),
  );
export const listSetupRuns = (projectId: string) =>
  body(
    api.GET("/api/v1/projects/{project_id}/setup/runs", {
      params: { ...ofProject(projectId), query: { limit: LISTED_RUNS } },
    }),
  );
export const readSetupRun = (project_id: string, run_id: string) =>
  body(
    api.GET("/api/v1/projects/{project_id}/setup/runs/{run_id}", {
      params: { path: { project_id, run_id } },
    }),
  );
export const runSetupAgain = (session_id: string) =>
  body(api.POST("/api/v1/sessions/{session_id}/setup", { params: { path: { session_id } } }));
