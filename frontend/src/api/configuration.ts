// API calls for the configuration of a session, and for stored configuration documents.
import { api, body } from "./http";
import type { components } from "./schema";

export type SessionConfiguration = components["schemas"]["SessionConfigurationView"];
export type ConfigurationValue = components["schemas"]["ConfigurationValue"];
export type ConfigurationSource = components["schemas"]["ConfigurationSource"];

export const readConfiguration = (sessionId: string) =>
  body(api.GET("/api/v1/sessions/{session_id}/config", { params: { path: { session_id: sessionId } } }));

export type StoredConfiguration = components["schemas"]["ConfigurationDocument"];

export const readStoredConfiguration = (place: string) =>
  body(api.GET("/api/v1/configurations/{place}", { params: { path: { place } } }));

export const saveConfiguration = (place: string, change: components["schemas"]["ConfigurationChange"]) =>
  body(api.PUT("/api/v1/configurations/{place}", { params: { path: { place } }, body: change }));

export const putPublishedDefaults = (place: string, address: string) =>
  body(
    api.PUT("/api/v1/configurations/{place}/defaults", { params: { path: { place } }, body: { address } }),
  );

export const readPublishedDefaults = (place: string) =>
  body(api.POST("/api/v1/configurations/{place}/defaults/read", { params: { path: { place } } }));
