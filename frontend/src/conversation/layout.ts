// The rows of a turn, in order, as short keys. Keys are cheap to compare, so streamed text re-renders only
// its own part.
import type { Part, ToolCall } from "../api/types";
import { plural } from "../lib/format";
import type { SessionState } from "../store/state";
import { attachmentsOf, patchFilesOf, pathOf } from "../tools/facts";
import { placeNotes, type Row, withNotes } from "./notes";

export type Item =
  | { kind: "user" | "interrupted" | "message-error"; id: string }
  | { kind: "text" | "reasoning" | "compaction" | "retry"; id: string }
  | { kind: "tool" | "note"; id: string }
  | { kind: "explore"; ids: string[] };

const EXPLORE_TOOLS = new Set(["read", "grep", "glob", "list", "lsp"]);

/** Whether the call can be folded into an explore row. Calls that read a picture stay visible. */
const isFoldable = (call: ToolCall): boolean =>
  EXPLORE_TOOLS.has(call.tool) &&
  attachmentsOf(call).length === 0 &&
  (call.state === "completed" || call.state === "running" || call.state === "pending");

/** Returns keys like "text:prt_1", "explore:call_1,call_2" or "note:wnt_1"; `parseItem` parses them. */
export const layoutTurn = (state: SessionState, turnId: string): string[] =>
  withNotes(rowsOf(state, turnId), placeNotes(state).within[turnId]);

/** Whether a revert hides all messages of the turn. */
export const isTurnHidden = (state: SessionState, turnId: string): boolean => {
  const ids = state.messageIdsByTurn[turnId] ?? [];
  return ids.length > 0 && ids.every((id) => state.messages[id]?.reverted);
};

/** Collects rows in order and merges consecutive reads and searches into one. */
class Rows {
  readonly all: Row[] = [];
  private run: ToolCall[] = [];
  // Parts have no time of their own: they use their message's or that of the row before, whichever is later.
  private time = "";

  add(key: string, since: string, calls: readonly string[] = []): void {
    this.endRun();
    this.put(key, since, calls);
  }

  addCall(call: ToolCall): void {
    if (isFoldable(call)) this.run.push(call);
    else this.add(`tool:${call.id}`, call.created_at, [call.id]);
  }

  endRun(): void {
    const [first] = this.run;
    const ids = this.run.map((call) => call.id);
    this.run = [];
    if (first) this.put(`${ids.length > 1 ? "explore" : "tool"}:${ids.join(",")}`, first.created_at, ids);
  }

  private put(key: string, since: string, calls: readonly string[]): void {
    if (since > this.time) this.time = since;
    this.all.push({ key, calls, time: this.time });
  }
}

function rowsOf(state: SessionState, turnId: string): Row[] {
  const rows = new Rows();
  for (const messageId of state.messageIdsByTurn[turnId] ?? []) {
    const message = state.messages[messageId];
    if (!message || message.reverted) continue;
    const { created_at: since } = message;
    if (message.role === "user") {
      rows.add(`user:${messageId}`, since);
      continue;
    }
    for (const partId of state.partIdsByMessage[messageId] ?? []) {
      const part = state.parts[partId];
      if (!part) continue;
      const call = part.call_id ? state.calls[part.call_id] : undefined;
      if (part.type === "tool") {
        if (call) rows.addCall(call);
      } else if (part.type === "retry") {
        if (isFallback(part) || isLastTry(state, turnId, messageId)) rows.add(`retry:${partId}`, since);
      } else if (part.text.trim() !== "") {
        // Summaries stream as text of the compaction agent. The finished summary has a part type of its own.
        const kind = part.type === "text" && message.agent === "compaction" ? "compaction" : part.type;
        rows.add(`${kind}:${partId}`, since);
      }
    }
    if (message.state === "interrupted" && !message.error) {
      if (!onlyRetried(state, messageId)) rows.add(`interrupted:${messageId}`, since);
    } else if (message.error && state.turns[turnId]?.state !== "failed")
      rows.add(`message-error:${messageId}`, since);
  }
  rows.endRun();
  return rows.all;
}

/** Whether another model continued the turn after this failure, which people must be able to read later. */
const isFallback = (part: Part): boolean => typeof part.data.next === "string";

const isFallbackRow = ({ parts }: SessionState, partId: string): boolean => {
  const part = parts[partId];
  return !!part && isFallback(part);
};

/** Whether the failed try is the last of a turn that still runs, so that the next one is to come. */
function isLastTry({ turns, messageIdsByTurn }: SessionState, turnId: string, messageId: string): boolean {
  return !turns[turnId]?.ended_at && messageIdsByTurn[turnId]?.at(-1) === messageId;
}

/**
 * Whether the message has nothing but retries: the model never began to answer, so nothing was interrupted.
 */
function onlyRetried({ parts, partIdsByMessage }: SessionState, messageId: string): boolean {
  const ids = partIdsByMessage[messageId] ?? [];
  return ids.length > 0 && ids.every((id) => parts[id]?.type === "retry");
}

export function parseItem(key: string): Item {
  const colon = key.indexOf(":");
  const kind = key.slice(0, colon);
  const id = key.slice(colon + 1);
  if (kind === "explore") return { kind, ids: id.split(",") };
  return { kind, id } as Item;
}

/** Returns the text of a message of a person or an agent. */
export function messageText(state: SessionState, messageId: string): string {
  return (state.partIdsByMessage[messageId] ?? [])
    .map((id) => state.parts[id])
    .filter((part) => part?.type === "text")
    .map((part) => part?.text ?? "")
    .join("\n\n");
}

/** Returns what the agent wrote in a turn, without its reasoning and its tool calls. */
export const answerText = (state: SessionState, turnId: string): string =>
  (state.messageIdsByTurn[turnId] ?? [])
    .filter((id) => state.messages[id]?.role === "assistant" && state.messages[id]?.agent !== "compaction")
    .map((id) => messageText(state, id).trim())
    .filter(Boolean)
    .join("\n\n");

/** Whether the agent has not read the prompt yet: it was sent while a step was running, and no step began after it. */
export function isQueued(state: SessionState, messageId: string): boolean {
  const turnId = state.messages[messageId]?.turn_id ?? "";
  const turn = state.turns[turnId];
  const ids = state.messageIdsByTurn[turnId] ?? [];
  if (!turn || (turn.state !== "running" && turn.state !== "waiting")) return false;
  const at = ids.indexOf(messageId);
  return at > 0 && ids.slice(at + 1).every((id) => state.messages[id]?.role === "user");
}

/** Returns the prompts that the agent had not read when the session's newest turn was stopped. */
export function leftPrompts(state: SessionState, turnId: string): readonly string[] {
  if (state.turns[turnId]?.state !== "aborted" || state.turnIds.at(-1) !== turnId) return [];
  const ids = state.messageIdsByTurn[turnId] ?? [];
  const lastAnswer = ids.findLastIndex((id) => state.messages[id]?.role !== "user");
  // The first prompt of the turn is that of the turn itself, which can be edited or tried again.
  return ids.slice(Math.max(lastAnswer + 1, 1)).filter((id) => !state.messages[id]?.reverted);
}

/** Rows of a turn that a fold hides: work that went well. Prompts, answers, failures and notes stay in view. */
export function foldable(state: SessionState, keys: readonly string[]): ReadonlySet<string> {
  const lastText = keys.findLast((key) => key.startsWith("text:"));
  return new Set(
    keys.filter((key) => {
      const item = parseItem(key);
      if (item.kind === "explore" || item.kind === "reasoning") return true;
      if (item.kind === "text") return key !== lastText;
      return item.kind === "tool" && state.calls[item.id]?.state === "completed";
    }),
  );
}

/** Counts what happened in rows of a turn: "320 calls, 40 files changed". */
export function outlineOf(state: SessionState, keys: readonly string[]): string {
  const files = new Set<string>();
  let calls = 0;
  for (const key of keys) {
    const item = parseItem(key);
    const ids = item.kind === "explore" ? item.ids : item.kind === "tool" ? [item.id] : [];
    calls += ids.length;
    for (const id of ids) for (const path of changedBy(state.calls[id])) files.add(path);
  }
  const parts = [calls && plural(calls, "call"), files.size && `${plural(files.size, "file")} changed`];
  return parts.filter(Boolean).join(", ");
}

const CHANGING_TOOLS = new Set(["edit", "multiedit", "write"]);

function changedBy(call: ToolCall | undefined): readonly string[] {
  if (!call) return [];
  if (CHANGING_TOOLS.has(call.tool)) return [pathOf(call)];
  return patchFilesOf(call.metadata).map(({ path }) => path);
}

/** Whether the end of the turn already indicates that it is running. */
export function showsProgress(state: SessionState, turnId: string, lastKey: string | undefined): boolean {
  if (!lastKey) return false;
  const item = parseItem(lastKey);
  if (item.kind === "text" || item.kind === "reasoning" || item.kind === "compaction") {
    const part = state.parts[item.id];
    return !!part && state.messages[part.message_id]?.state === "streaming";
  }
  if (item.kind === "retry") return !isFallbackRow(state, item.id);
  const ids = item.kind === "explore" ? item.ids : item.kind === "tool" ? [item.id] : [];
  return ids.some((id) => {
    const call = state.calls[id];
    return call?.turn_id === turnId && !call.ended_at;
  });
}
