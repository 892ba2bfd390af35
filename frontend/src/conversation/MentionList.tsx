import { useEffect, useRef, useState } from "react";
import { AgentDot } from "../agents/AgentDot";
import { useSessionAgents } from "../agents/queries";
import type { Agent } from "../api/agents";
import { rank } from "../app/paletteRank";
import { useLive } from "../store/SessionContext";
import { type Edited, findMention, putMention } from "./mentions";
import "./Prompt.css";

const MAX_SUGGESTIONS = 8;

export interface Mentions {
  agents: readonly Agent[];
  isOpen: boolean;
  /** The name that Enter inserts. */
  active: string | undefined;
  choose: (name: string) => void;
  point: (name: string) => void;
  /** Handles a key; true if the list used it. */
  onKey: (key: string) => boolean;
  close: () => void;
}

/** Suggests agents for the text between "@" and the caret. */
export function useMentions(
  sessionId: string,
  text: string,
  caret: number,
  onEdit: (edited: Edited) => void,
): Mentions {
  const current = useLive((state) => state.session?.agent ?? "");
  const { callable } = useSessionAgents(sessionId, current);
  const mention = findMention(text, caret);
  const [pointed, setPointed] = useState("");
  // Position of the "@" whose list was closed with Escape.
  const [closedAt, setClosedAt] = useState(-1);
  const agents = mention
    ? rank(callable, mention.query, (agent) => agent.name)
        .slice(0, MAX_SUGGESTIONS)
        .map((match) => match.item)
    : [];
  const isOpen = mention !== null && mention.start !== closedAt && agents.length > 0;
  const at = Math.max(
    0,
    agents.findIndex((agent) => agent.name === pointed),
  );
  const active = isOpen ? agents[at]?.name : undefined;
  const choose = (name: string) => mention && onEdit(putMention(text, mention, name));
  const close = () => setClosedAt(mention?.start ?? -1);
  const move = (step: number) => setPointed(agents[(at + step + agents.length) % agents.length]?.name ?? "");
  const onKey = (key: string): boolean => {
    if (!isOpen || !active) return false;
    if (key === "ArrowDown") move(1);
    else if (key === "ArrowUp") move(-1);
    else if (key === "Enter" || key === "Tab") choose(active);
    else if (key === "Escape") close();
    else return false;
    return true;
  };
  return { agents, isOpen, active, choose, point: setPointed, onKey, close };
}

export function MentionList({ id, mentions }: { id: string; mentions: Mentions }) {
  return mentions.isOpen ? <OpenList id={id} mentions={mentions} /> : null;
}

/** A popover, because the frame around the prompt would clip the list. */
function OpenList({ id, mentions }: { id: string; mentions: Mentions }) {
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => list.current?.showPopover?.(), []);
  return (
    <div
      ref={list}
      popover="manual"
      className="mentions"
      role="listbox"
      id={id}
      tabIndex={-1}
      aria-label="Agents to call"
      data-testid="mentions"
    >
      {mentions.agents.map((agent) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: keys are handled by the prompt that owns the list
        <div
          key={agent.name}
          id={`${id}-${agent.name}`}
          role="option"
          tabIndex={-1}
          aria-selected={agent.name === mentions.active}
          className="mention line"
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => mentions.choose(agent.name)}
          onMouseMove={() => mentions.point(agent.name)}
        >
          <AgentDot agent={agent} />
          <span className="no-shrink medium">@{agent.name}</span>
          <span className="ellipsis small muted">{agent.description}</span>
        </div>
      ))}
    </div>
  );
}
