import { type KeyboardEvent, useId, useRef, useState } from "react";
import { Link } from "wouter";
import { AgentDot } from "../agents/AgentDot";
import { agentsPath } from "../agents/paths";
import { useSessionAgents, useSessionAgentsRefresh } from "../agents/queries";
import type { Agent } from "../api/agents";
import { changeSession } from "../api/endpoints";
import { useConnection, useLive } from "../store/SessionContext";
import { Icon } from "../ui/Icon";

const STEPS: Readonly<Record<string, (at: number, count: number) => number>> = {
  ArrowDown: (at, count) => (at + 1) % count,
  ArrowUp: (at, count) => (at - 1 + count) % count,
  Home: () => 0,
  End: (_, count) => count - 1,
};

/** Who works from the next step on. Opens above the prompt; each agent says what it is for. */
export function AgentMenu({ sessionId }: { sessionId: string }) {
  const connection = useConnection();
  const current = useLive((state) => state.session?.agent ?? "");
  const projectId = useLive((state) => state.session?.project_id);
  const { selectable } = useSessionAgents(sessionId, current);
  const refresh = useSessionAgentsRefresh(sessionId);
  const [failed, setFailed] = useState(false);
  const menu = useRef<HTMLDivElement>(null);
  const id = useId();
  if (!current) return null;
  const agents = withCurrent(selectable, current);
  const choose = async (name: string) => {
    menu.current?.hidePopover?.();
    if (name === current) return;
    try {
      connection.showSession(await changeSession(sessionId, { agent: name }));
      setFailed(false);
    } catch {
      setFailed(true);
    }
  };
  const onKey = (event: KeyboardEvent) => {
    const items = [...(menu.current?.querySelectorAll<HTMLElement>("[role^=menuitem]") ?? [])];
    const at = items.indexOf(document.activeElement as HTMLElement);
    const step = STEPS[event.key];
    if (!step) return;
    event.preventDefault();
    items[step(at, items.length)]?.focus();
  };
  return (
    <>
      <button
        type="button"
        className="agent-button"
        popoverTarget={id}
        aria-haspopup="menu"
        aria-label={`Agent ${current}: switch`}
        data-testid="agent-menu"
      >
        <AgentDot agent={agents.find((agent) => agent.name === current) ?? { color: "" }} />
        {current}
        <span className="turner open">
          <Icon name="chevron" size={12} />
        </span>
      </button>
      {failed && (
        <span className="agent-failed" role="status">
          Not switched. Try again.
        </span>
      )}
      <div
        ref={menu}
        id={id}
        popover="auto"
        className="menu agent-list"
        role="menu"
        tabIndex={-1}
        aria-label="Agent"
        onKeyDown={onKey}
        onToggle={(event) => {
          if (event.newState !== "open") return;
          refresh();
          menu.current?.querySelector<HTMLElement>("[aria-checked=true]")?.focus();
        }}
      >
        {agents.map((agent) => (
          <button
            key={agent.name}
            type="button"
            role="menuitemradio"
            aria-checked={agent.name === current}
            onClick={() => void choose(agent.name)}
          >
            <AgentDot agent={agent} />
            <span className="agent-words">
              <span className="agent-name">{agent.name}</span>
              <span className="muted">{agent.description}</span>
            </span>
            {agent.name === current && <Icon name="check" size={14} />}
          </button>
        ))}
        {projectId && (
          <>
            <hr />
            <Link href={agentsPath(projectId)} role="menuitem">
              <Icon name="agent" /> All agents of the project
            </Link>
          </>
        )}
      </div>
    </>
  );
}

type Shown = Pick<Agent, "name" | "description" | "color">;

/** The one at work is always shown, be it that nobody may choose it (any more). */
const withCurrent = (agents: readonly Agent[], current: string): readonly Shown[] =>
  agents.some((agent) => agent.name === current)
    ? agents
    : [{ name: current, description: "", color: "" }, ...agents];
