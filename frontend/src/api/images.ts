// API calls for the image of a project's workspaces.
import { api, body, type Versioned, versioned } from "./http";
import type { components } from "./schema";

export type ProjectImage = components["schemas"]["ProjectImageView"] & Versioned;

const ofProject = (project_id: string) => ({ path: { project_id } });

export type RegisteredImage = components["schemas"]["RegisteredImageView"];

/** A policy names at most this many. */
const LISTED = 100;

/** Lists the images that operators registered. */
export const listImages = () => body(api.GET("/api/v1/images", { params: { query: { limit: LISTED } } }));
export const readProjectImage = (projectId: string) =>
  versioned(api.GET("/api/v1/projects/{project_id}/image", { params: ofProject(projectId) }));
/** Chooses another image than that of the version `tag`; fails with `precondition_failed` if there is a newer one. */
export const chooseProjectImage = (projectId: string, image: string, tag: string) =>
  versioned(
    api.PUT("/api/v1/projects/{project_id}/image", {
      params: { ...ofProject(projectId), header: { "If-Match": tag } },
      body: { image },
    }),
  );
