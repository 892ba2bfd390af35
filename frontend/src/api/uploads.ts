// API calls for uploads: files that a project's workspaces start with.
import { atPrefix } from "../lib/prefix";
import { ApiError, api, body, csrfToken, errorFrom, offlineError, reportSignedOut } from "./http";
import type { components } from "./schema";

type Schemas = components["schemas"];

export type Upload = Schemas["UploadView"];

const ofUpload = (id: string) => ({ params: { path: { upload_id: id } } });
const ofProject = (id: string) => ({ params: { path: { project_id: id } } });

export const beginUpload = (teamId: string, name: string, size: number) =>
  body(
    api.POST("/api/v1/teams/{team_id}/uploads", {
      params: { path: { team_id: teamId } },
      body: { name, size },
    }),
  );
export const readUpload = (id: string) => body(api.GET("/api/v1/uploads/{upload_id}", ofUpload(id)));
export const discardUpload = (id: string) => body(api.DELETE("/api/v1/uploads/{upload_id}", ofUpload(id)));
export const createProjectOf = (id: string, name: string) =>
  body(api.POST("/api/v1/uploads/{upload_id}/project", { ...ofUpload(id), body: { name, description: "" } }));
export const readProjectFiles = (projectId: string) =>
  body(api.GET("/api/v1/projects/{project_id}/files", ofProject(projectId)));
export const setProjectFiles = (projectId: string, uploadId: string | null) =>
  body(
    api.PUT("/api/v1/projects/{project_id}/files", {
      ...ofProject(projectId),
      body: { upload_id: uploadId },
    }),
  );

interface Part {
  id: string;
  offset: number;
  content: Blob;
  /** Gets the bytes of the part that were sent. */
  onProgress: (sent: number) => void;
  signal: AbortSignal;
}

/** Sends one part with XMLHttpRequest, because fetch does not report progress. */
export function sendPart({ id, offset, content, onProgress, signal }: Part): Promise<Upload> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open("PUT", atPrefix(`/api/v1/uploads/${encodeURIComponent(id)}/content?offset=${offset}`));
    request.setRequestHeader("Accept", "application/json");
    request.setRequestHeader("Content-Type", "application/octet-stream");
    request.setRequestHeader("X-CSRFToken", csrfToken());
    request.upload.onprogress = ({ loaded }) => onProgress(loaded);
    request.onload = () => {
      if (request.status === 200) return resolve(JSON.parse(request.responseText) as Upload);
      if (request.status === 401) reportSignedOut();
      reject(errorFrom(request.status, parsed(request.responseText)));
    };
    request.onerror = () => reject(offlineError());
    request.onabort = () => reject(new ApiError(0, "cancelled", "The upload was cancelled."));
    signal.addEventListener("abort", () => request.abort(), { once: true });
    request.send(content);
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
