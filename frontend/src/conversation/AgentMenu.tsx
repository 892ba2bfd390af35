import { Link } from "wouter";
import { AgentDot } from "../agents/AgentDot";
import { agentsPath } from "../agents/paths";
import { useSessionAgents, useSessionAgentsRefresh } from "../agents/queries";
import type { Agent } from "../api/agents";
import { useLive } from "../store/SessionContext";
import { Icon } from "../ui/Icon";
import { Choice, ChoiceMenu } from "./ChoiceMenu";

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
    >
      {(choose) => (
        <>
          {agents.map((agent) => (
            <Choice
              key={agent.name}
              name={agent.name}
              hint={agent.description}
              isChosen={agent.name === current}
              mark={<AgentDot agent={agent} />}
              onChoose={() => choose({ agent: agent.name }, agent.name !== current)}
            />
          ))}
          {projectId && (
            <>
              <hr />
              <Link href={agentsPath(projectId)} role="menuitem">
                <Icon name="agent" /> All agents of the project
              </Link>
            </>
          )}
        </>
      )}
    </ChoiceMenu>
  );
}

type Shown = Pick<Agent, "name" | "description" | "color">;

/** Adds the current agent to the list if it cannot be chosen (any more). */
const withCurrent = (agents: readonly Agent[], current: string): readonly Shown[] =>
  agents.some((agent) => agent.name === current)
    ? agents
    : [{ name: current, description: "", color: "" }, ...agents];
