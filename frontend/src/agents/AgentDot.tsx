import type { Agent } from "../api/agents";
import "./AgentDot.css";

/** Colour names that follow the theme. Any other colour is a hex value. */
export const NAMED_COLORS = [
  "primary",
  "secondary",
  "accent",
  "success",
  "warning",
  "error",
  "info",
] as const;

/** A dot in the agent's colour. */
export function AgentDot({ agent }: { agent: Pick<Agent, "color"> }) {
  const isOwn = agent.color.startsWith("#");
  return (
    <span
      className="agent-dot"
      data-color={agent.color}
      style={isOwn ? { background: agent.color } : undefined}
      aria-hidden="true"
    />
  );
}
