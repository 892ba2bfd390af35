// Pure reducer from (state, server frame) to (state, requests to send to the server).
import type { DeltaFrame, DeltaTarget, EventData, EventFrame, EventType, ServerFrame } from "../api/frames";
import type { Message, Part, PermissionRequest, Question, ToolCall, Turn } from "../api/types";
import { isUnread, isUnreadTurn } from "./older";
import { type ById, byIndex, byTime, type SessionState, stateFromSnapshot, type WaitingDelta } from "./state";
import { placeAt } from "./text";

export type Effect = { type: "resync" } | { type: "fetch"; target: DeltaTarget; id: string };

export interface Step {
  state: SessionState;
  effects: readonly Effect[];
}

const NO_EFFECTS: readonly Effect[] = [];
const withoutEffects = (state: SessionState): Step => ({ state, effects: NO_EFFECTS });

export function reduceFrame(state: SessionState, frame: ServerFrame): Step {
  switch (frame.type) {
    case "snapshot":
      return withoutEffects({ ...stateFromSnapshot(frame.snapshot), watchers: state.watchers });
    case "presence":
      return withoutEffects(frame.people ? { ...state, watchers: frame.people } : state);
    case "event":
      return reduceEvent(state, frame);
    case "delta":
      return reduceDelta(state, frame);
    default:
      return withoutEffects(state);
  }
}

function reduceEvent(state: SessionState, frame: EventFrame): Step {
  if (state.seq === null) return withoutEffects(state);
  if (frame.seq <= state.seq) return withoutEffects(state);
  if (frame.seq > state.seq + 1) return { state, effects: [{ type: "resync" }] };
  return withoutEffects({ ...applyEvent(state, frame), seq: frame.seq });
}

type EventHandlers = {
  readonly [Type in EventType]: (state: SessionState, data: EventData<Type>) => SessionState;
};

const EVENT_HANDLERS: EventHandlers = {
  "session.created": (state, session) => ({ ...state, session }),
  "session.updated": (state, session) => ({ ...state, session }),
  "turn.updated": upsertTurn,
  "alternatives.updated": (state, row) => ({ ...state, alternatives: put(state.alternatives, row) }),
  "message.updated": upsertMessage,
  "part.updated": upsertPart,
  "call.updated": upsertCall,
  "calls.pruned": markPruned,
  "messages.reverted": markReverted,
  "messages.removed": remove,
  "permission.asked": upsertRequest,
  "permission.updated": upsertRequest,
  "permission.settled": upsertRequest,
  "question.asked": upsertQuestion,
  "question.settled": upsertQuestion,
  "todos.updated": (state, { todos }) => ({ ...state, todos }),
  "workspace.updated": (state, workspace) => ({ ...state, workspace }),
  "pull_request.updated": (state, pullRequest) => ({ ...state, pullRequest }),
  // Read over REST by the pages that show them; `reviewVersion` says when.
  "review_comment.updated": (state) => state,
  "file_approval.updated": (state) => state,
  "workspace.noted": (state, note) => ({ ...state, notes: put(state.notes, note) }),
};

/** Events of unknown types, and those without data, change nothing. */
function applyEvent(state: SessionState, { event_type, data }: EventFrame): SessionState {
  if (!data || !Object.hasOwn(EVENT_HANDLERS, event_type)) return state;
  const apply = EVENT_HANDLERS[event_type] as (state: SessionState, data: EventFrame["data"]) => SessionState;
  return apply(state, data);
}

function put<Item extends { id: string }>(items: ById<Item>, item: Item): ById<Item> {
  return { ...items, [item.id]: item };
}

/** Inserts an id in the order of `compare`; returns the same array if it is already there. */
function addOrdered<Item extends { id: string }>(
  ids: readonly string[] | undefined,
  item: Item,
  items: ById<Item>,
  compare: (a: Item, b: Item) => number,
): readonly string[] {
  if (!ids) return [item.id];
  if (ids.includes(item.id)) return ids;
  let at = ids.length;
  while (at > 0) {
    const before = items[ids[at - 1] as string];
    if (!before || compare(before, item) <= 0) break;
    at -= 1;
  }
  return [...ids.slice(0, at), item.id, ...ids.slice(at)];
}

export function upsertTurn(state: SessionState, turn: Turn): SessionState {
  const turns = put(state.turns, turn);
  if (isUnreadTurn(state, turn)) return { ...state, turns };
  return { ...state, turns, turnIds: addOrdered(state.turnIds, turn, turns, byTime) };
}

export function upsertMessage(state: SessionState, message: Message): SessionState {
  const messages = put(state.messages, message);
  if (isUnread(state, message.id)) return { ...state, messages };
  const ids = addOrdered(state.messageIdsByTurn[message.turn_id], message, messages, byTime);
  return { ...state, messages, messageIdsByTurn: { ...state.messageIdsByTurn, [message.turn_id]: ids } };
}

export function upsertRequest(state: SessionState, request: PermissionRequest): SessionState {
  return { ...state, requests: put(state.requests, request) };
}

export function upsertQuestion(state: SessionState, question: Question): SessionState {
  return { ...state, questions: put(state.questions, question) };
}

/** Returns the longer text if one begins with the other: saved text may lag behind streamed text. */
const furtherText = (known: string | undefined, saved: string): string =>
  known !== undefined && known.length > saved.length && known.startsWith(saved) ? known : saved;

function isStreaming(state: SessionState, messageId: string): boolean {
  return state.messages[messageId]?.state === "streaming";
}

export function upsertPart(state: SessionState, part: Part): SessionState {
  const known = state.parts[part.id];
  const text = isStreaming(state, part.message_id) ? furtherText(known?.text, part.text) : part.text;
  const parts = put(state.parts, text === part.text ? part : { ...part, text });
  if (isUnread(state, part.message_id)) return settleWaiting({ ...state, parts }, "part", part.id);
  const ids = addOrdered(state.partIdsByMessage[part.message_id], part, parts, byIndex);
  const next = { ...state, parts, partIdsByMessage: { ...state.partIdsByMessage, [part.message_id]: ids } };
  return settleWaiting(next, "part", part.id);
}

const isOpen = (call: ToolCall) => call.state === "pending" || call.state === "running";

/** Marks calls whose output is no longer sent to models. */
function markPruned(state: SessionState, data: { call_ids: string[] }): SessionState {
  const known = data.call_ids.flatMap((id) => state.calls[id] ?? []);
  const marked = known.map((call) => [call.id, { ...call, pruned: true }] as const);
  const unknown = state.older === null ? [] : data.call_ids.filter((id) => !(id in state.calls));
  const prunedIds = unknown.length === 0 ? state.prunedIds : new Set([...state.prunedIds, ...unknown]);
  return { ...state, calls: { ...state.calls, ...Object.fromEntries(marked) }, prunedIds };
}

function markReverted(state: SessionState, data: { message_ids: string[]; reverted: boolean }): SessionState {
  const known = data.message_ids.flatMap((id) => state.messages[id] ?? []);
  const marked = known.map((message) => [message.id, { ...message, reverted: data.reverted }] as const);
  return { ...state, messages: { ...state.messages, ...Object.fromEntries(marked) } };
}

/** Removes prompts that were taken back, and parts that a changed prompt no longer has. */
function remove(state: SessionState, data: { message_ids: string[]; part_ids: string[] }): SessionState {
  const gone = new Set([...data.message_ids, ...data.part_ids]);
  const without = <Item>(items: Readonly<Record<string, Item>>) =>
    Object.fromEntries(Object.entries(items).filter(([id]) => !gone.has(id)));
  const trimmed = (lists: Readonly<Record<string, readonly string[]>>) =>
    Object.fromEntries(
      Object.entries(lists).map(([key, ids]) => [
        key,
        ids.some((id) => gone.has(id)) ? ids.filter((id) => !gone.has(id)) : ids,
      ]),
    );
  return {
    ...state,
    messages: without(state.messages),
    messageIdsByTurn: trimmed(state.messageIdsByTurn),
    parts: without(state.parts),
    partIdsByMessage: trimmed(without(state.partIdsByMessage)),
  };
}

export function upsertCall(state: SessionState, call: ToolCall): SessionState {
  const output = isOpen(call)
    ? furtherText(state.calls[call.id]?.live_output, call.live_output)
    : call.live_output;
  const next = { ...state, calls: put(state.calls, { ...call, live_output: output }) };
  return isOpen(call) ? settleWaiting(next, "call", call.id) : dropWaiting(next, "call", call.id);
}

const keyOf = (target: DeltaTarget, id: string) => `${target}:${id}`;

function readText(state: SessionState, target: DeltaTarget, id: string): string | undefined {
  return target === "part" ? state.parts[id]?.text : state.calls[id]?.live_output;
}

function writeText(state: SessionState, target: DeltaTarget, id: string, text: string): SessionState {
  if (target === "part") {
    const part = state.parts[id];
    return part ? { ...state, parts: put(state.parts, { ...part, text }) } : state;
  }
  const call = state.calls[id];
  return call ? { ...state, calls: put(state.calls, { ...call, live_output: text }) } : state;
}

/** Applies a delta; null if it does not fit because of a gap or an unknown id. */
function placeDelta(state: SessionState, target: DeltaTarget, id: string, delta: WaitingDelta) {
  const text = readText(state, target, id);
  if (text === undefined) return null;
  const placed = placeAt(text, delta.offset, delta.text);
  if (!placed.fits) return null;
  return placed.text === text ? state : writeText(state, target, id, placed.text);
}

function reduceDelta(state: SessionState, frame: DeltaFrame): Step {
  if (state.seq === null || hasEnded(state, frame)) return withoutEffects(state);
  const key = keyOf(frame.target, frame.id);
  const waiting = state.waitingDeltas[key];
  const delta = { offset: frame.offset, text: frame.text };
  if (!waiting) {
    const next = placeDelta(state, frame.target, frame.id, delta);
    if (next) return withoutEffects(next);
  }
  const waitingDeltas = { ...state.waitingDeltas, [key]: [...(waiting ?? []), delta] };
  const effects: Effect[] = waiting ? [] : [{ type: "fetch", target: frame.target, id: frame.id }];
  return { state: { ...state, waitingDeltas }, effects };
}

/** Whether the call has ended: late live output is ignored then, as the final output is shown. */
const hasEnded = (state: SessionState, frame: DeltaFrame): boolean =>
  frame.target === "call" && !!state.calls[frame.id]?.ended_at;

function withoutWaiting(state: SessionState, key: string): SessionState {
  if (!(key in state.waitingDeltas)) return state;
  const { [key]: _gone, ...waitingDeltas } = state.waitingDeltas;
  return { ...state, waitingDeltas };
}

/** Applies, in order, waiting deltas of `id` that fit now, and keeps the others. */
function settleWaiting(state: SessionState, target: DeltaTarget, id: string): SessionState {
  const key = keyOf(target, id);
  const waiting = state.waitingDeltas[key];
  if (!waiting) return state;
  let next = state;
  for (const [at, delta] of waiting.entries()) {
    const placed = placeDelta(next, target, id, delta);
    if (!placed) return { ...next, waitingDeltas: { ...next.waitingDeltas, [key]: waiting.slice(at) } };
    next = placed;
  }
  return withoutWaiting(next, key);
}

/**
 * Applies the server's answer to part.get or call.get. If the saved text lags behind the streamed deltas,
 * `behind` is true and the request must be repeated a little later.
 */
export function reduceFetched(
  state: SessionState,
  target: DeltaTarget,
  id: string,
  data: Part | ToolCall | null,
): { state: SessionState; behind: boolean } {
  if (!data || data.id !== id) return { state: dropWaiting(state, target, id), behind: false };
  const next = target === "part" ? upsertPart(state, data as Part) : upsertCall(state, data as ToolCall);
  return { state: next, behind: keyOf(target, id) in next.waitingDeltas };
}

/** Drops deltas that never fitted. The saved text comes with the next event of the part or call. */
export const dropWaiting = (state: SessionState, target: DeltaTarget, id: string): SessionState =>
  withoutWaiting(state, keyOf(target, id));
