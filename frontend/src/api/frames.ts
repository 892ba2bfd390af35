// Types of the WebSocket frames, from the committed schema. The server may add event types at any time; unknown ones
// are skipped.
import type { components } from "./frames.schema";

type Schemas = components["schemas"];

export type ServerFrame = Schemas["SessionServerFrame"];
/** Every frame has an id here, which its answer repeats. */
export type ClientFrame = (
  | Schemas["SessionClientFrame"]
  | Schemas["MeClientFrame"]
  | Schemas["TerminalClientFrame"]
) & { id: string };
export type EventFrame = Extract<ServerFrame, { type: "event" }>;
export type EventType = EventFrame["event_type"];
export type EventData<Type extends EventType> = Extract<EventFrame, { event_type: Type }>["data"];
export type DeltaFrame = Schemas["Delta"];
export type DeltaTarget = DeltaFrame["target"];
export type Notice = Extract<Schemas["MeServerFrame"], { type: "notice" }>;
/** A person who has the session open. */
export type Watcher = Schemas["WatcherView"];

/** Close codes the server gives on purpose. */
export const CLOSE = {
  notSignedIn: 4401,
  notAllowed: 4403,
  unknownSession: 4404,
  tooSlow: 4408,
  badFrames: 4409,
} as const;
