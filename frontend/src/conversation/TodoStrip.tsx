import { useLive } from "../store/SessionContext";
import { TodoList } from "../tools/TodoList";
import { Chevron } from "../ui/Chevron";
import { Icon } from "../ui/Icon";
import "./Prompt.css";

/** Progress of the agent's todo list, above the prompt while it works. Opens to the whole list. */
export function TodoStrip() {
  const todos = useLive((state) => state.todos);
  const busy = useLive((state) => state.session !== null && state.session.status !== "idle");
  const done = todos.filter((todo) => todo.status === "completed").length;
  const now = todos.find((todo) => todo.status === "in_progress");
  if (!busy || todos.length === 0 || done === todos.length) return null;
  return (
    <details className="todo-strip small ruled" data-testid="todo-strip">
      <summary className="line muted">
        <Icon name="todo" size={14} />
        <span className="no-shrink number">
          {done} of {todos.length} done
        </span>
        {now && <span className="todo-now text-normal ellipsis">{now.content}</span>}
        <Chevron />
      </summary>
      <TodoList todos={todos} />
    </details>
  );
}
