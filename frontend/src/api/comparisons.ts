// API calls for several attempts at one prompt.
import { api, body } from "./http";
import type { components } from "./schema";

export type Comparison = components["schemas"]["ComparisonView"];
export type Attempt = components["schemas"]["ComparedAttempt"];
export type NewComparison = components["schemas"]["NewComparison"];

const ofSession = (session_id: string) => ({ params: { path: { session_id } } });
const ofComparison = (comparison_id: string) => ({ params: { path: { comparison_id } } });

export const startComparison = (sessionId: string, prompt: NewComparison) =>
  body(api.POST("/api/v1/sessions/{session_id}/comparisons", { ...ofSession(sessionId), body: prompt }));
export const listComparisons = (sessionId: string) =>
  body(api.GET("/api/v1/sessions/{session_id}/comparisons", ofSession(sessionId)));
export const readComparison = (id: string) =>
  body(api.GET("/api/v1/comparisons/{comparison_id}", ofComparison(id)));
export const keepAttempt = (id: string, sessionId: string) =>
  body(
    api.POST("/api/v1/comparisons/{comparison_id}/keep", {
      ...ofComparison(id),
      body: { session_id: sessionId },
    }),
  );
