// API calls for prompts that wait while the agent works.
import { api, body } from "./http";

const of = (message_id: string) => ({ params: { path: { message_id } } });

export const changeQueuedPrompt = (messageId: string, text: string) =>
  body(api.PATCH("/api/v1/messages/{message_id}", { ...of(messageId), body: { text } }));
export const withdrawPrompt = (messageId: string) =>
  body(api.DELETE("/api/v1/messages/{message_id}", of(messageId)));
