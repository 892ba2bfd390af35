// Adds a page of older messages to the state, and tells which messages have not been loaded yet.
import type { ConversationPage } from "../api/types";
import { type ById, byId, byIndex, byTime, groupIds, type SessionState } from "./state";

/**
 * Whether the message belongs to a page that has not been loaded. Its objects are kept, but they are not in
 * the lists of ids, so they are not shown before their page is.
 */
export function isUnread(state: SessionState, messageId: string): boolean {
  if (state.older === null || messageId >= state.older) return false;
  const turnId = state.messages[messageId]?.turn_id;
  return !turnId || !state.messageIdsByTurn[turnId]?.includes(messageId);
}

/** Whether the turn began before the first one that is shown. */
export function isUnreadTurn(state: SessionState, turn: { id: string; created_at: string }): boolean {
  const first = state.turns[state.turnIds[0] ?? ""];
  if (state.older === null || !first || state.turnIds.includes(turn.id)) return false;
  return byTime(turn, first) < 0;
}

/** Adds a page. Objects that are known already stay, as events may have brought newer ones than the page. */
export function addOlder(state: SessionState, page: ConversationPage): SessionState {
  const turns = { ...byId(page.turns), ...state.turns };
  const messages = { ...byId(page.messages), ...state.messages };
  const parts = { ...byId(page.parts), ...state.parts };
  const calls = page.calls.map((call) => (state.prunedIds.has(call.id) ? { ...call, pruned: true } : call));
  return {
    ...state,
    older: page.older,
    turns,
    turnIds: join(state.turnIds, idsOf(page.turns), turns, byTime),
    alternatives: { ...byId(page.alternatives), ...state.alternatives },
    messages,
    messageIdsByTurn: joinGroups(
      state.messageIdsByTurn,
      groupIds(page.messages, (message) => message.turn_id),
      messages,
      byTime,
    ),
    parts,
    partIdsByMessage: joinGroups(
      state.partIdsByMessage,
      groupIds(page.parts, (part) => part.message_id),
      parts,
      byIndex,
    ),
    calls: { ...byId(calls), ...state.calls },
    requests: { ...byId(page.permission_requests), ...state.requests },
    questions: { ...byId(page.questions), ...state.questions },
    notes: { ...byId(page.workspace_notes), ...state.notes },
  };
}

const idsOf = (items: readonly { id: string }[]) => items.map((item) => item.id);

type Compare<Item> = (a: Item, b: Item) => number;

/** Joins two lists of ids without duplicates, in the order of `compare`. */
function join<Item>(
  known: readonly string[],
  added: readonly string[],
  items: ById<Item>,
  compare: Compare<Item>,
): readonly string[] {
  const ids = [...new Set([...added, ...known])];
  return ids.sort((a, b) => compare(items[a] as Item, items[b] as Item));
}

function joinGroups<Item>(
  known: Readonly<Record<string, readonly string[]>>,
  added: Readonly<Record<string, readonly string[]>>,
  items: ById<Item>,
  compare: Compare<Item>,
) {
  const joined = { ...known };
  for (const [key, ids] of Object.entries(added)) joined[key] = join(known[key] ?? [], ids, items, compare);
  return joined;
}
