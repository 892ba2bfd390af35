// API calls that take back what agents changed, and redo it.
import { api, body } from "./http";
import type { components } from "./schema";

export type NewRevert = components["schemas"]["NewRevert"];
export type Revert = components["schemas"]["RevertView"];
export type RevertDecision = components["schemas"]["RevertDecision"];
export type RevertFile = components["schemas"]["RevertFileView"];
export type ChangedFile = components["schemas"]["ChangedFile"];
export type RevertPreview = components["schemas"]["RevertPreview"];

/** What to take back: everything from a message on, or the files of one turn. Redo has the revert that it undoes. With
 *  an answer, its files are brought, and it becomes the chosen one. */
export type RevertScope =
  | { message_id: string }
  | { turn_id: string; paths?: string[]; hunks?: number[] }
  | { answer_id: string }
  | { revert_id: string };

const ofSession = (session_id: string) => ({ params: { path: { session_id } } });
const newRevert = (scope: Exclude<RevertScope, { revert_id: string }>, decisions: RevertDecision[]) => ({
  paths: [],
  ...scope,
  decisions,
});

export const previewRevert = (sessionId: string, scope: RevertScope): Promise<RevertPreview> =>
  "revert_id" in scope
    ? body(
        api.POST("/api/v1/sessions/{session_id}/unrevert/preview", {
          ...ofSession(sessionId),
          body: { ...scope, decisions: [] },
        }),
      )
    : body(
        api.POST("/api/v1/sessions/{session_id}/revert/preview", {
          ...ofSession(sessionId),
          body: newRevert(scope, []),
        }),
      );

/** The files that a turn changed. */
export const listFileChanges = (sessionId: string, turnId: string) =>
  body(
    api.GET("/api/v1/sessions/{session_id}/file-changes", {
      params: { path: { session_id: sessionId }, query: { turn_id: turnId } },
    }),
  );

export const applyRevert = (
  sessionId: string,
  scope: RevertScope,
  decisions: RevertDecision[],
): Promise<Revert> =>
  "revert_id" in scope
    ? body(
        api.POST("/api/v1/sessions/{session_id}/unrevert", {
          ...ofSession(sessionId),
          body: { ...scope, decisions },
        }),
      )
    : body(
        api.POST("/api/v1/sessions/{session_id}/revert", {
          ...ofSession(sessionId),
          body: newRevert(scope, decisions),
        }),
      );
