// Changes that a call of todowrite made to the todo list.
import type { Todo, ToolCall } from "../api/types";
import { listIn, textIn } from "./facts";

const STATUSES: readonly Todo["status"][] = ["pending", "in_progress", "completed", "cancelled"];

export const todosOf = ({ arguments: args }: Pick<ToolCall, "arguments">): Todo[] =>
  listIn(args, "todos").map((todo) => ({
    content: textIn(todo, "content"),
    status: STATUSES.find((status) => status === todo.status) ?? "pending",
    priority: textIn(todo, "priority") || "medium",
  }));

/** Returns the list before this call; null if this is the first. */
export function todosBefore(calls: Iterable<ToolCall>, call: ToolCall): Todo[] | null {
  let latest: ToolCall | null = null;
  for (const other of calls) {
    if (other.tool !== "todowrite" || other.state !== "completed" || other.created_at >= call.created_at)
      continue;
    if (!latest || other.created_at > latest.created_at) latest = other;
  }
  return latest && todosOf(latest);
}

const CHANGE_LABELS: Record<Todo["status"], string> = {
  pending: "open again",
  in_progress: "begun",
  completed: "done now",
  cancelled: "cancelled",
};

/** Returns new items and changed states by content; empty for the first list, in which everything is new. */
export function todoChanges(before: readonly Todo[] | null, after: readonly Todo[]): Record<string, string> {
  if (!before) return {};
  const known = new Map(before.map((todo) => [todo.content, todo.status]));
  const told = after.flatMap((todo): [string, string][] => {
    const status = known.get(todo.content);
    if (status === undefined) return [[todo.content, "added"]];
    return status === todo.status ? [] : [[todo.content, CHANGE_LABELS[todo.status]]];
  });
  return Object.fromEntries(told);
}
