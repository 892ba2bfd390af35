// API calls for the repository inside a session's workspace.
import { api, body } from "./http";
import type { components } from "./schema";

export type Draft = components["schemas"]["DraftView"];
export type DraftOf = components["schemas"]["NewDraft"]["what"];
export type GitState = components["schemas"]["GitState"];

const ofSession = (session_id: string) => ({ params: { path: { session_id } } });

export const readGitState = (sessionId: string) =>
  body(api.GET("/api/v1/sessions/{session_id}/git", ofSession(sessionId)));
export const commitChanges = (sessionId: string, message: string) =>
  body(api.POST("/api/v1/sessions/{session_id}/git/commit", { ...ofSession(sessionId), body: { message } }));
export const draftText = (sessionId: string, what: DraftOf) =>
  body(api.POST("/api/v1/sessions/{session_id}/git/draft", { ...ofSession(sessionId), body: { what } }));
export const pushBranch = (sessionId: string, commit: string, workflows: boolean) =>
  body(
    api.POST("/api/v1/sessions/{session_id}/git/push", {
      ...ofSession(sessionId),
      body: { commit, workflows },
    }),
  );

export type UpdateKind = components["schemas"]["BranchUpdate"]["how"];

export const updateBranch = (sessionId: string, how: UpdateKind) =>
  body(api.POST("/api/v1/sessions/{session_id}/git/update", { ...ofSession(sessionId), body: { how } }));
export const resolveConflicts = (sessionId: string) =>
  body(api.POST("/api/v1/sessions/{session_id}/git/resolve", ofSession(sessionId)));
export const startBranchSession = (sessionId: string) =>
  body(
    api.POST("/api/v1/sessions/{session_id}/git/session", {
      ...ofSession(sessionId),
      body: { title: "", agent: "", shared_with: "team" },
    }),
  );
