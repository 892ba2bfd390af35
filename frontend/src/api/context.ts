// API calls for the content of a model's context.
import { api, body } from "./http";
import type { components } from "./schema";

export type ContextUse = components["schemas"]["ContextView"];
export type ContextItem = components["schemas"]["ContextItemView"];
export type SystemPrompt = components["schemas"]["SystemPromptView"];

const ofSession = (session_id: string) => ({ params: { path: { session_id } } });

export const readContext = (sessionId: string) =>
  body(api.GET("/api/v1/sessions/{session_id}/context", ofSession(sessionId)));
export const compactSession = (sessionId: string) =>
  body(api.POST("/api/v1/sessions/{session_id}/compact", ofSession(sessionId)));
export const readSystemPrompt = (messageId: string) =>
  body(
    api.GET("/api/v1/messages/{message_id}/system-prompt", { params: { path: { message_id: messageId } } }),
  );
