// API calls for the review of a session's changes.
import { api, body } from "./http";
import { readAllPages } from "./pages";
import type { components } from "./schema";

type Schemas = components["schemas"];
export type ReviewComment = Schemas["ReviewCommentView"];
export type FileApproval = Schemas["FileApprovalView"];
export type NewReviewComment = Schemas["NewReviewComment"];
export type DiffOptions = {
  path?: string;
  under?: string;
  turn?: string;
  commit?: string;
  ignore_whitespace?: boolean;
};

const of = (sessionId: string) => ({ path: { session_id: sessionId } });
const ofComment = (id: string) => ({ params: { path: { review_comment_id: id } } });

export const readChanges = (sessionId: string, query: DiffOptions) =>
  body(api.GET("/api/v1/sessions/{session_id}/diff", { params: { ...of(sessionId), query } }));

export const readChangedLines = (
  sessionId: string,
  query: { path: string; first: number; last: number; turn?: string; commit?: string },
) => body(api.GET("/api/v1/sessions/{session_id}/diff/lines", { params: { ...of(sessionId), query } }));

export const listCommits = (sessionId: string) =>
  body(api.GET("/api/v1/sessions/{session_id}/commits", { params: of(sessionId) }));

export const listReviewComments = (sessionId: string) =>
  readAllPages((cursor) =>
    body(
      api.GET("/api/v1/sessions/{session_id}/review-comments", {
        params: { ...of(sessionId), query: { cursor, limit: 100 } },
      }),
    ),
  );
export const createReviewComment = (sessionId: string, comment: NewReviewComment) =>
  body(api.POST("/api/v1/sessions/{session_id}/review-comments", { params: of(sessionId), body: comment }));
export const changeReviewComment = (id: string, change: { text?: string; state?: "open" | "resolved" }) =>
  body(api.PATCH("/api/v1/review-comments/{review_comment_id}", { ...ofComment(id), body: change }));
export const deleteReviewComment = (id: string) =>
  body(api.DELETE("/api/v1/review-comments/{review_comment_id}", ofComment(id)));
export const sendReview = (sessionId: string, introduction: string) =>
  body(api.POST("/api/v1/sessions/{session_id}/review", { params: of(sessionId), body: { introduction } }));

export const listFileApprovals = (sessionId: string) =>
  readAllPages((cursor) =>
    body(
      api.GET("/api/v1/sessions/{session_id}/file-approvals", {
        params: { ...of(sessionId), query: { cursor, limit: 100 } },
      }),
    ),
  );
export const approveFile = (sessionId: string, path: string, version: string) =>
  body(
    api.PUT("/api/v1/sessions/{session_id}/file-approvals", {
      params: of(sessionId),
      body: { path, version },
    }),
  );
export const withdrawApproval = (sessionId: string, path: string) =>
  body(
    api.DELETE("/api/v1/sessions/{session_id}/file-approvals", {
      params: { ...of(sessionId), query: { path } },
    }),
  );
