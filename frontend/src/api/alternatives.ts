// API calls for several answers to one prompt.
import { api, body } from "./http";
import type { components } from "./schema";

export type EditedPrompt = components["schemas"]["EditedPrompt"];
export type NewTry = components["schemas"]["NewTry"];

const ofTurn = (turn_id: string) => ({ params: { path: { turn_id } } });

export const retryTurn = (turnId: string, how: NewTry) =>
  body(api.POST("/api/v1/turns/{turn_id}/retry", { ...ofTurn(turnId), body: how }));
export const chooseTurn = (turnId: string) =>
  body(api.POST("/api/v1/turns/{turn_id}/choose", ofTurn(turnId)));
export const editPrompt = (messageId: string, prompt: EditedPrompt) =>
  body(
    api.POST("/api/v1/messages/{message_id}/edit", {
      params: { path: { message_id: messageId } },
      body: prompt,
    }),
  );
