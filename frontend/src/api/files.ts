// API calls for the files of a session's workspace.
import { atPrefix } from "../lib/prefix";
import { api, body, csrfToken, errorFrom, offlineError } from "./http";
import type { components } from "./schema";

type Schemas = components["schemas"];
export type FileEntry = Schemas["FileEntry"];
export type FolderView = Schemas["FolderView"];
export type FileView = Schemas["FileView"];
export type FoundFile = Schemas["FoundFile"];
export type WrittenFile = Schemas["WrittenFile"];

const at = (sessionId: string) => ({ path: { session_id: sessionId } });

export const listFiles = (sessionId: string, path: string) =>
  body(api.GET("/api/v1/sessions/{session_id}/files", { params: { ...at(sessionId), query: { path } } }));
export const readFile = (sessionId: string, path: string) =>
  body(
    api.GET("/api/v1/sessions/{session_id}/files/content", { params: { ...at(sessionId), query: { path } } }),
  );
export const findFiles = (sessionId: string, query: { name?: string; text?: string }) =>
  body(api.GET("/api/v1/sessions/{session_id}/files/find", { params: { ...at(sessionId), query } }));
/** Saves a text that replaces the content with this hash; null if there must be no file. */
export const writeFile = (sessionId: string, path: string, text: string, seen: string | null) =>
  body(
    api.PUT("/api/v1/sessions/{session_id}/files/content", {
      params: at(sessionId),
      body: { path, text, seen_sha256: seen },
    }),
  );
export const moveFile = (sessionId: string, path: string, target: string) =>
  body(
    api.POST("/api/v1/sessions/{session_id}/files/move", { params: at(sessionId), body: { path, target } }),
  );
export const removeFile = (sessionId: string, path: string) =>
  body(api.DELETE("/api/v1/sessions/{session_id}/files", { params: { ...at(sessionId), query: { path } } }));
export const makeFolder = (sessionId: string, path: string) =>
  body(api.POST("/api/v1/sessions/{session_id}/files/folder", { params: at(sessionId), body: { path } }));

export const fileDownload = (sessionId: string, path: string): string =>
  atPrefix(
    `/api/v1/sessions/${encodeURIComponent(sessionId)}/files/download?path=${encodeURIComponent(path)}`,
  );

/** The address of a folder as a zip file. */
export const folderDownload = (sessionId: string, path: string): string =>
  atPrefix(
    `/api/v1/sessions/${encodeURIComponent(sessionId)}/files/archive?path=${encodeURIComponent(path)}`,
  );

/** Puts a file of this computer into the workspace. */
export async function uploadIntoWorkspace(sessionId: string, path: string, file: File): Promise<void> {
  const form = new FormData();
  form.append("file", file);
  const address = `/api/v1/sessions/${encodeURIComponent(sessionId)}/files/upload?path=${encodeURIComponent(path)}`;
  const answer = await fetch(atPrefix(address), {
    method: "POST",
    credentials: "same-origin",
    headers: { Accept: "application/json", "X-CSRFToken": csrfToken() },
    body: form,
  }).catch(() => {
    throw offlineError();
  });
  if (!answer.ok) throw errorFrom(answer.status, await answer.json().catch(() => null));
}
