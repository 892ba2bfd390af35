// API calls for previews of programs in a session's workspace.
import { api, body } from "./http";
import type { components } from "./schema";

export type Ports = components["schemas"]["PortsView"];

const at = (sessionId: string) => ({ path: { session_id: sessionId } });

export const listPorts = (sessionId: string) =>
  body(api.GET("/api/v1/sessions/{session_id}/ports", { params: at(sessionId) }));

/** Returns an address that shows the page once, within a minute. */
export const openPreview = (sessionId: string, port: number, path: string) =>
  body(api.POST("/api/v1/sessions/{session_id}/previews", { params: at(sessionId), body: { port, path } }));
