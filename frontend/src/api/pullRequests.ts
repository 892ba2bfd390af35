// API calls for the pull request of a session.
import { api, body } from "./http";
import type { components } from "./schema";

type Schemas = components["schemas"];

export type PullRequest = Schemas["PullRequestView"];
export type PullRequestState = Schemas["PullRequestState"];
export type PullRequestText = Schemas["NewPullRequest"];

const ofSession = (session_id: string) => ({ params: { path: { session_id } } });

export const readPullRequest = (sessionId: string) =>
  body(api.GET("/api/v1/sessions/{session_id}/pull-request", ofSession(sessionId)));
export const openPullRequest = (sessionId: string, text: PullRequestText) =>
  body(api.POST("/api/v1/sessions/{session_id}/pull-request", { ...ofSession(sessionId), body: text }));
export const fixPullRequest = (sessionId: string, what: { check: string } | { comment: string }) =>
  body(
    api.POST("/api/v1/sessions/{session_id}/pull-request/fix", {
      ...ofSession(sessionId),
      body: { check: "", comment: "", ...what },
    }),
  );
export const refreshPullRequest = (sessionId: string) =>
  body(api.POST("/api/v1/sessions/{session_id}/pull-request/refresh", ofSession(sessionId)));
