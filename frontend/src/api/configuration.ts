// API calls for the configuration of a session.
import { api, body } from "./http";
import type { components } from "./schema";

export type SessionConfiguration = components["schemas"]["SessionConfigurationView"];
export type ConfigurationValue = components["schemas"]["ConfigurationValue"];
export type ConfigurationSource = components["schemas"]["ConfigurationSource"];

export const readConfiguration = (sessionId: string) =>
  body(api.GET("/api/v1/sessions/{session_id}/config", { params: { path: { session_id: sessionId } } }));
