import type { ToolCall } from "../api/types";
import { useLive } from "../store/SessionContext";
import { PlainView } from "./PlainView";
import { TodoList } from "./TodoList";
import { todoChanges, todosBefore, todosOf } from "./todos";

/** The todo list as this call wrote it, with its changes. */
export function TodoChange({ call }: { call: ToolCall }) {
  const calls = useLive((state) => state.calls);
  const todos = todosOf(call);
  if (todos.length === 0) return <PlainView call={call} />;
  return <TodoList todos={todos} changes={todoChanges(todosBefore(Object.values(calls), call), todos)} />;
}
