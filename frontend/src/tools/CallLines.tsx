import type { CallState } from "../api/types";
import { visibleLine } from "../lib/visible";
import { Icon } from "../ui/Icon";
import { describeTool } from "./describe";
import type { CallLine } from "./facts";
import "./CallLines.css";

export const STATE_LABELS: Record<CallState, string> = {
  pending: "queued",
  running: "running",
  waiting: "waiting for an answer",
  completed: "",
  error: "failed",
  aborted: "stopped",
};

export function StateLabel({ state }: { state: CallState }) {
  const word = STATE_LABELS[state];
  return word ? <span className={`state no-shrink small medium state-${state}`}>{word}</span> : null;
}

/** Tool calls of another session, as short lines. */
export function CallLines({ lines, label }: { lines: readonly CallLine[]; label: string }) {
  return (
    <ul className="call-lines" aria-label={label}>
      {lines.map((line, index) => {
        const { icon, label } = describeTool(line.tool, line.title);
        return (
          <li
            className="line muted"
            key={line.callId || index}
            data-testid="call-line"
            data-state={line.state}
          >
            <Icon name={icon} size={14} />
            <span className="call-line-label ellipsis">{visibleLine(label)}</span>
            <StateLabel state={line.state} />
          </li>
        );
      })}
    </ul>
  );
}
