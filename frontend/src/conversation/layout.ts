// What a turn shows, in order, as short keys: cheap to compare, so that streamed text re-renders one part only.
import type { ToolCall } from "../api/types";
import type { SessionState } from "../store/state";

export type Item =
  | { kind: "user" | "interrupted" | "message-error"; id: string }
  | { kind: "text" | "reasoning" | "retry"; id: string }
  | { kind: "tool"; id: string }
  | { kind: "explore"; ids: string[] };

const EXPLORING = new Set(["read", "grep", "glob", "list"]);

const folds = (call: ToolCall): boolean =>
  EXPLORING.has(call.tool) &&
  (call.state === "completed" || call.state === "running" || call.state === "pending");

/** Keys like "text:prt_1" or "explore:call_1,call_2"; `parseItem` reads them. */
export function layoutTurn(state: SessionState, turnId: string): string[] {
  const keys: string[] = [];
  let run: string[] = [];
  const endRun = () => {
    if (run.length > 0) keys.push(`${run.length > 1 ? "explore" : "tool"}:${run.join(",")}`);
    run = [];
  };
  const add = (key: string) => {
    endRun();
    keys.push(key);
  };
  for (const messageId of state.messageIdsByTurn[turnId] ?? []) {
    const message = state.messages[messageId];
    if (!message) continue;
    if (message.role === "user") {
      add(`user:${messageId}`);
      continue;
    }
    for (const partId of state.partIdsByMessage[messageId] ?? []) {
      const part = state.parts[partId];
      if (!part) continue;
      if (part.type === "tool") {
        const call = part.call_id ? state.calls[part.call_id] : undefined;
        if (!call) continue;
        if (folds(call)) run.push(call.id);
        else add(`tool:${call.id}`);
      } else if (part.type === "retry") {
        if (message.state === "streaming") add(`retry:${partId}`);
      } else if (part.text.trim() !== "") add(`${part.type}:${partId}`);
    }
    if (message.state === "interrupted" && !message.error) add(`interrupted:${messageId}`);
    else if (message.error && state.turns[turnId]?.state !== "failed") add(`message-error:${messageId}`);
  }
  endRun();
  return keys;
}

export function parseItem(key: string): Item {
  const colon = key.indexOf(":");
  const kind = key.slice(0, colon);
  const id = key.slice(colon + 1);
  if (kind === "explore") return { kind, ids: id.split(",") };
  return { kind, id } as Item;
}

/** The text of a message: what the person wrote, or what the agent said. */
export function messageText(state: SessionState, messageId: string): string {
  return (state.partIdsByMessage[messageId] ?? [])
    .map((id) => state.parts[id])
    .filter((part) => part?.type === "text")
    .map((part) => part?.text ?? "")
    .join("\n\n");
}

/** Whether something at the turn's end already shows that work goes on. */
export function showsProgress(state: SessionState, turnId: string, lastKey: string | undefined): boolean {
  if (!lastKey) return false;
  const item = parseItem(lastKey);
  if (item.kind === "text" || item.kind === "reasoning") {
    const part = state.parts[item.id];
    return !!part && state.messages[part.message_id]?.state === "streaming";
  }
  if (item.kind === "retry") return true;
  const ids = item.kind === "explore" ? item.ids : item.kind === "tool" ? [item.id] : [];
  return ids.some((id) => {
    const call = state.calls[id];
    return call?.turn_id === turnId && !call.ended_at;
  });
}
