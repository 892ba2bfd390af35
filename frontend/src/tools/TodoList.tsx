import type { Todo } from "../api/types";
import { Icon, type IconName } from "../ui/Icon";
import "./TodoList.css";

const STATUS_ICONS: Record<Todo["status"], { icon: IconName; label: string }> = {
  pending: { icon: "dots", label: "Open" },
  in_progress: { icon: "chevron", label: "In progress" },
  completed: { icon: "check", label: "Done" },
  cancelled: { icon: "close", label: "Cancelled" },
};

interface TodoListProps {
  todos: readonly Todo[];
  /** Changes of items by their content. */
  changes?: Readonly<Record<string, string>>;
}

/** The agent's todo list with the status of each item. */
export function TodoList({ todos, changes = {} }: TodoListProps) {
  return (
    <ul className="todos ruled-top">
      {todos.map((todo, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: two items may say the same
        <li key={index} className={`todo flex gap-10 ruled todo-${todo.status}`} data-testid="todo">
          <Icon name={STATUS_ICONS[todo.status].icon} />
          <span className="grow break-anywhere">{todo.content}</span>
          <span className="sr-only">{STATUS_ICONS[todo.status].label}</span>
          {todo.priority === "high" && todo.status !== "completed" && (
            <span className="no-shrink small muted weight-normal">High priority</span>
          )}
          {changes[todo.content] && (
            <span className="no-shrink small muted weight-normal">{changes[todo.content]}</span>
          )}
        </li>
      ))}
    </ul>
  );
}
