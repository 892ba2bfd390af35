import { useLive } from "../store/SessionContext";
import { TodoList } from "../tools/TodoList";
import { Icon } from "../ui/Icon";

/** Progress of the agent's todo list, above the prompt while it works. Opens to the whole list. */
export function TodoStrip() {
  const todos = useLive((state) => state.todos);
  const busy = useLive((state) => state.session !== null && state.session.status !== "idle");
  const done = todos.filter((todo) => todo.status === "completed").length;
  const now = todos.find((todo) => todo.status === "in_progress");
  if (!busy || todos.length === 0 || done === todos.length) return null;
  return (
    <details className="todo-strip" data-testid="todo-strip">
      <summary>
        <Icon name="todo" size={14} />
        <span className="number">
          {done} of {todos.length} done
        </span>
        {now && <span className="todo-now">{now.content}</span>}
        <span className="turner">
          <Icon name="chevron" size={12} />
        </span>
      </summary>
      <TodoList todos={todos} />
    </details>
  );
}
