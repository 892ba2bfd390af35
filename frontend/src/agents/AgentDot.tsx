import type { Agent } from "../api/agents";

/** Colours by name follow the theme; others are taken as they are. */
export const NAMED_COLORS = [
  "primary",
  "secondary",
  "accent",
  "success",
  "warning",
  "error",
  "info",
] as const;

/** The agent's colour, beside its name. */
export function AgentDot({ agent }: { agent: Pick<Agent, "color"> }) {
  const isOwn = agent.color.startsWith("#");
  return (
    <span
      className={`agent-dot ${isOwn || !agent.color ? "" : `agent-${agent.color}`}`}
      style={isOwn ? { background: agent.color } : undefined}
      aria-hidden="true"
    />
  );
}
