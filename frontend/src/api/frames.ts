// What travels over the WebSockets. The server may add event types at any time; unknown ones are skipped.
import type { Watcher } from "./together";
import type { Failure, Part, Snapshot, ToolCall } from "./types";

export type DeltaTarget = "part" | "call";

export interface EventFrame {
  type: "event";
  seq: number;
  event_type: string;
  data: unknown;
  at: string;
}
export interface DeltaFrame {
  type: "delta";
  target: DeltaTarget;
  id: string;
  /** Counted in Unicode code points from the start of the part's text or the call's live output. */
  offset: number;
  text: string;
}
export interface PresenceFrame {
  type: "presence";
  people: Watcher[];
}
export type ServerFrame =
  | { type: "snapshot"; snapshot: Snapshot }
  | EventFrame
  | DeltaFrame
  | PresenceFrame
  | { type: "ack"; id: string; data?: Part | ToolCall | Record<string, unknown> | null }
  | { type: "error"; id?: string; error: Failure }
  | { type: "pong"; id: string };

export type ClientFrame =
  | { id: string; type: "hello"; after: number | null }
  | { id: string; type: "part.get"; part_id: string }
  | { id: string; type: "call.get"; call_id: string }
  | { id: string; type: "ping" };

export interface Notice {
  type: "notice";
  kind:
    | "permission.asked"
    | "permission.updated"
    | "permission.settled"
    | "question.asked"
    | "question.settled"
    | "session.updated"
    | (string & {});
  session_id: string;
  data: Record<string, unknown>;
}

/** Close codes the server gives on purpose. */
export const CLOSE = { notSignedIn: 4401, unknownSession: 4404, tooSlow: 4408, badFrames: 4409 } as const;
