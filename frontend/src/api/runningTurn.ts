// API calls for a turn that runs: prompts that wait for it, and the model that continues it.
import { api, body } from "./http";

const of = (message_id: string) => ({ params: { path: { message_id } } });

export const changeQueuedPrompt = (messageId: string, text: string) =>
  body(api.PATCH("/api/v1/messages/{message_id}", { ...of(messageId), body: { text } }));
export const withdrawPrompt = (messageId: string) =>
  body(api.DELETE("/api/v1/messages/{message_id}", of(messageId)));
export const switchTurnModel = (turnId: string, model: string) =>
  body(api.POST("/api/v1/turns/{turn_id}/model", { params: { path: { turn_id: turnId } }, body: { model } }));
