import { AgentDot } from "../agents/AgentDot";
import { agentsPath } from "../agents/paths";
import { useSessionAgents, useSessionAgentsRefresh } from "../agents/queries";
import type { Agent } from "../api/agents";
import { useLive } from "../store/SessionContext";
import { LINE } from "../ui/menuEntries";
import { ChoiceMenu } from "./ChoiceMenu";

/**
 * Chooses the agent that works from the next step on. Opens above the prompt and lists agents with their
 * descriptions.
 */
export function AgentMenu({ sessionId }: { sessionId: string }) {
  const current = useLive((state) => state.session?.agent ?? "");
  const projectId = useLive((state) => state.session?.project_id);
  const { selectable } = useSessionAgents(sessionId, current);
  const refresh = useSessionAgentsRefresh(sessionId);
  if (!current) return null;
  const agents = withCurrent(selectable, current);
  return (
    <ChoiceMenu
      what="Agent"
      current={current}
      sessionId={sessionId}
      testId="agent-menu"
      mark={<AgentDot agent={agents.find((agent) => agent.name === current) ?? { color: "" }} />}
      onOpen={refresh}
      choices={agents.map((agent) => ({
        label: agent.name,
        hint: agent.description,
        mark: <AgentDot agent={agent} />,
        isChosen: agent.name === current,
        change: { agent: agent.name },
      }))}
      more={
        projectId
          ? [LINE, { label: "All agents of the project", icon: "agent", href: agentsPath(projectId) }]
          : []
      }
    />
  );
}

type Shown = Pick<Agent, "name" | "description" | "color">;

/** Adds the current agent to the list if it cannot be chosen (any more). */
const withCurrent = (agents: readonly Agent[], current: string): readonly Shown[] =>
  agents.some((agent) => agent.name === current)
    ? agents
    : [{ name: current, description: "", color: "" }, ...agents];
