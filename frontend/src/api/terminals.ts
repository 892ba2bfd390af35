// API calls and frames for the terminals of a session's workspace.
import type { components as frames } from "./frames.schema";
import { api, body } from "./http";
import type { components } from "./schema";

export type Terminal = components["schemas"]["TerminalView"];
export type Terminals = components["schemas"]["TerminalsView"];
export type TerminalClientFrame = frames["schemas"]["TerminalClientFrame"];
export type TerminalServerFrame = frames["schemas"]["TerminalServerFrame"];
export type TerminalEnded = Extract<TerminalServerFrame, { type: "ended" }>;

const at = (sessionId: string) => ({ path: { session_id: sessionId } });

export const listTerminals = (sessionId: string) =>
  body(api.GET("/api/v1/sessions/{session_id}/terminals", { params: at(sessionId) }));
export const openTerminal = (sessionId: string) =>
  body(
    api.POST("/api/v1/sessions/{session_id}/terminals", {
      params: at(sessionId),
      body: { rows: 24, columns: 80 },
    }),
  );
export const closeTerminal = (sessionId: string, terminalId: string) =>
  body(
    api.DELETE("/api/v1/sessions/{session_id}/terminals/{terminal_id}", {
      params: { path: { session_id: sessionId, terminal_id: terminalId } },
    }),
  );
