import { lazy, Suspense } from "react";
import { useStore } from "zustand";
import type { Todo } from "../api/types";
import { ConfigPanel } from "../configuration/ConfigPanel";
import { ContextPanel } from "../context/ContextPanel";
import { useLive } from "../store/SessionContext";
import { TodoList } from "../tools/TodoList";
import { Chevron } from "../ui/Chevron";
import { Skeleton } from "../ui/Notice";
import { SessionCost } from "../usage/SessionCost";
import { RulesPanel } from "./RulesPanel";
import { SECTIONS, type Section, setSection, sideStore } from "./sideStore";
import "./Details.css";

const SessionMemory = lazy(() =>
  import("../memory/Memory").then((module) => ({ default: module.SessionMemory })),
);

/** What stands behind a session: its todos, context, cost, rules, memory and configuration. Closed sections load nothing. */
export function Details({ sessionId }: { sessionId: string }) {
  const open = useStore(sideStore, (state) => state.open);
  const todos = useLive((state) => state.todos);
  const left = todos.filter(({ status }) => status === "pending" || status === "in_progress").length;
  return SECTIONS.map((name) => {
    const isOpen = open.includes(name);
    return (
      <section key={name} className="detail-section ruled" aria-label={name}>
        <h2>
          <button
            type="button"
            className="detail-head line full-width semibold"
            aria-expanded={isOpen}
            onClick={() => setSection(name, !isOpen)}
          >
            <Chevron open={isOpen} /> {name}
            {name === "Todos" && left > 0 && <span className="count">{left}</span>}
          </button>
        </h2>
        {isOpen && <Body name={name} sessionId={sessionId} todos={todos} />}
      </section>
    );
  });
}

interface BodyProps {
  name: Section;
  sessionId: string;
  todos: readonly Todo[];
}

function Body({ name, sessionId, todos }: BodyProps) {
  switch (name) {
    case "Todos":
      return <Todos todos={todos} />;
    case "Context":
      return <ContextPanel sessionId={sessionId} />;
    case "Cost":
      return <SessionCost sessionId={sessionId} />;
    case "Rules":
      return <RulesPanel sessionId={sessionId} />;
    case "Memory":
      return (
        <Suspense fallback={<Skeleton rows={3} label="Loading the memory" />}>
          <SessionMemory />
        </Suspense>
      );
    case "Configuration":
      return <ConfigPanel sessionId={sessionId} />;
  }
}

function Todos({ todos }: { todos: readonly Todo[] }) {
  if (todos.length === 0)
    return <p className="empty">The agent has not created a todo list in this session.</p>;
  const done = todos.filter((todo) => todo.status === "completed").length;
  return (
    <>
      <p className="panel-summary muted number">
        {done} of {todos.length} done
      </p>
      <TodoList todos={todos} />
    </>
  );
}
