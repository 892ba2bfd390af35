import { useEffect, useRef, useState } from "react";
import { AgentDot } from "../agents/AgentDot";
import { visibleLine } from "../lib/visible";
import { Icon } from "../ui/Icon";
import { type Edited, putMention } from "./mentions";
import { type Suggestion, useSuggestions } from "./suggestions";
import "./Prompt.css";

export interface Mentions {
  items: readonly Suggestion[];
  isOpen: boolean;
  /** The name that Enter inserts. */
  active: string | undefined;
  choose: (name: string) => void;
  point: (name: string) => void;
  /** Handles a key; true if the list used it. */
  onKey: (key: string) => boolean;
  close: () => void;
}

/** Suggests commands behind "/", and agents and files behind "@". `onChoose` is told of what was chosen. */
export function useMentions(
  sessionId: string,
  text: string,
  caret: number,
  onEdit: (edited: Edited) => void,
  onChoose: (chosen: Suggestion) => void,
): Mentions {
  const { items, mention } = useSuggestions(sessionId, text, caret);
  const [pointed, setPointed] = useState("");
  // Position of the sign whose list was closed with Escape.
  const [closedAt, setClosedAt] = useState(-1);
  const isOpen = mention !== null && mention.start !== closedAt && items.length > 0;
  const at = Math.max(
    0,
    items.findIndex((item) => item.name === pointed),
  );
  const active = isOpen ? items[at]?.name : undefined;
  const choose = (name: string) => {
    const chosen = items.find((item) => item.name === name);
    if (!mention || !chosen) return;
    onChoose(chosen);
    if (chosen.kind !== "prompt")
      onEdit(putMention(text, mention, name, chosen.kind === "command" ? "/" : "@"));
  };
  const close = () => setClosedAt(mention?.start ?? -1);
  const move = (step: number) => setPointed(items[(at + step + items.length) % items.length]?.name ?? "");
  // A command that is typed completely is sent, not inserted.
  const isComplete = mention !== null && items[at]?.kind === "command" && items[at]?.name === mention.query;
  const onKey = (key: string): boolean => {
    if (!isOpen || !active) return false;
    if (key === "ArrowDown") move(1);
    else if (key === "ArrowUp") move(-1);
    else if (key === "Enter" && isComplete) return false;
    else if (key === "Enter" || key === "Tab") choose(active);
    else if (key === "Escape") close();
    else return false;
    return true;
  };
  return { items, isOpen, active, choose, point: setPointed, onKey, close };
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
      aria-label="Suggestions"
      data-testid="mentions"
    >
      {mentions.items.map((item) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: keys are handled by the prompt that owns the list
        <div
          key={item.name}
          id={`${id}-${item.name}`}
          role="option"
          tabIndex={-1}
          aria-selected={item.name === mentions.active}
          className="mention line"
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => mentions.choose(item.name)}
          onMouseMove={() => mentions.point(item.name)}
        >
          <Sign item={item} />
          <span className={item.kind === "file" ? "ellipsis mono small" : "no-shrink medium"}>
            {isCommand(item) ? "/" : "@"}
            {visibleLine(item.name)}
          </span>
          <span className="ellipsis small muted">{visibleLine(item.description)}</span>
        </div>
      ))}
    </div>
  );
}

const isCommand = ({ kind }: Suggestion): boolean => kind === "command" || kind === "prompt";

function Sign({ item }: { item: Suggestion }) {
  if (item.agent) return <AgentDot agent={item.agent} />;
  return <Icon name={isCommand(item) ? "terminal" : item.name.endsWith("/") ? "box" : "file"} size={14} />;
}
