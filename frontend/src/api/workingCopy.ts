// API calls for the repository inside a session's workspace.
import { api, body } from "./http";
import type { components } from "./schema";

export type GitState = components["schemas"]["GitState"];

const ofSession = (session_id: string) => ({ params: { path: { session_id } } });

export const readGitState = (sessionId: string) =>
  body(api.GET("/api/v1/sessions/{session_id}/git", ofSession(sessionId)));
export const commitChanges = (sessionId: string, message: string) =>
  body(api.POST("/api/v1/sessions/{session_id}/git/commit", { ...ofSession(sessionId), body: { message } }));
export const pushBranch = (sessionId: string, commit: string, workflows: boolean) =>
  body(
    api.POST("/api/v1/sessions/{session_id}/git/push", {
      ...ofSession(sessionId),
      body: { commit, workflows },
    }),
  );
