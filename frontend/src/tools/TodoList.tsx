import type { Todo } from "../api/types";
import { Icon, type IconName } from "../ui/Icon";

const STATUS_ICONS: Record<Todo["status"], { icon: IconName; word: string }> = {
  pending: { icon: "dots", word: "Open" },
  in_progress: { icon: "chevron", word: "In progress" },
  completed: { icon: "check", word: "Done" },
  cancelled: { icon: "close", word: "Cancelled" },
};

interface TodoListProps {
  todos: readonly Todo[];
  /** Changes of items by their content. */
  changes?: Readonly<Record<string, string>>;
}

/** The agent's todo list with the status of each item. */
export function TodoList({ todos, changes = {} }: TodoListProps) {
  return (
    <ul className="todos">
      {todos.map((todo, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: two items may say the same
        <li key={index} className={`todo todo-${todo.status}`} data-testid="todo">
          <Icon name={STATUS_ICONS[todo.status].icon} />
          <span className="todo-text">{todo.content}</span>
          <span className="sr-only">{STATUS_ICONS[todo.status].word}</span>
          {todo.priority === "high" && todo.status !== "completed" && (
            <span className="todo-mark">High priority</span>
          )}
          {changes[todo.content] && <span className="todo-mark">{changes[todo.content]}</span>}
        </li>
      ))}
    </ul>
  );
}
