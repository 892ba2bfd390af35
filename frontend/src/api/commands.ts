// API calls for commands of the prompt box.
import { api, body } from "./http";
import type { components } from "./schema";

export type Command = components["schemas"]["CommandView"];
export type CommandTaken = components["schemas"]["CommandTaken"];
type NewCommand = components["schemas"]["NewCommand"];

const ofSession = (session_id: string) => ({ params: { path: { session_id } } });

export const listCommands = (sessionId: string) =>
  body(api.GET("/api/v1/sessions/{session_id}/commands", ofSession(sessionId)));
export const runCommand = (
  sessionId: string,
  command: string,
  args: string,
  attachments: readonly string[] = [],
) =>
  body(
    api.POST("/api/v1/sessions/{session_id}/commands", {
      ...ofSession(sessionId),
      body: {
        command,
        arguments: args,
        ...(attachments.length > 0 ? { attachments: [...attachments] } : {}),
      } as Required<NewCommand>,
    }),
  );
export const runShell = (sessionId: string, command: string) =>
  body(api.POST("/api/v1/sessions/{session_id}/shell", { ...ofSession(sessionId), body: { command } }));
