import { Link } from "wouter";
import type { Agent, AgentRow, Agents } from "../api/agents";
import { ApiError } from "../api/http";
import { useTabTitle } from "../app/live";
import { useWaiting } from "../app/waiting";
import { NotFound } from "../pages/NotFound";
import { PermissionNames } from "../policies/permissions";
import { usePlaceContext } from "../policies/places";
import { useLevelAt } from "../settings/levels";
import { SettingsFrame } from "../settings/SettingsFrame";
import { Icon } from "../ui/Icon";
import { Problem, Skeleton } from "../ui/Notice";
import { AgentDot } from "./AgentDot";
import { AgentForm } from "./AgentForm";
import { AgentBreadcrumb } from "./AgentsPage";
import { NEW_AGENT, originText, rowIdAt } from "./fields";
import { agentsPath, NEW_AGENT_NAME } from "./paths";
import { useAgentRow, useAgents } from "./queries";
import "./agents.css";

/** One agent as it applies to a site, team or project, with the overrides of that place. */
export function AgentPage({ place, name }: { place: string; name: string }) {
  const context = usePlaceContext(place);
  const agents = useAgents(place);
  const level = useLevelAt(place);
  const isNew = name === NEW_AGENT_NAME;
  const agent = isNew ? NEW_AGENT : agents.data?.items.find((item) => item.name === name);
  const rowId = rowIdAt(agent, context.here.kind);
  const row = useAgentRow(rowId || undefined);
  useTabTitle(isNew ? "New agent" : `Agent ${name}`, useWaiting().count);
  const error = agents.error ?? (rowId ? row.error : null);
  if (error instanceof ApiError && error.status === 404) return <NotFound what="agent" />;
  if (agents.data && !agent) return <NotFound what="agent" />;
  const isLoaded = agents.data && agent && (!rowId || row.data);
  return (
    <SettingsFrame level={level} current="agents" columnClass="with-bar agent-page">
      <AgentBreadcrumb context={context} />
      <h1 className="line gap-10 break-anywhere">
        {agent && !isNew && <AgentDot agent={agent} />}
        {isNew ? "New agent" : name}
      </h1>
      {error && !isLoaded && <Problem error={error} />}
      {!error && !isLoaded && <Skeleton rows={10} label="Loading the agent" />}
      {isLoaded && agents.data && (
        <Loaded
          key={`${place} ${name}`}
          place={place}
          agents={agents.data}
          agent={agent}
          row={(rowId && row.data) || null}
          isNew={isNew}
        />
      )}
      <PermissionNames />
    </SettingsFrame>
  );
}

interface LoadedProps {
  place: string;
  agents: Agents;
  agent: Agent;
  row: AgentRow | null;
  isNew: boolean;
}

function Loaded({ place, agents, agent, row, isNew }: LoadedProps) {
  return (
    <>
      <p className="muted">
        {isNew ? "Fields that you do not change keep their defaults" : originText(agent)}.{" "}
        <Link href={agentsPath(place)} className="link">
          All agents
        </Link>
      </p>
      {agent.problems.length > 0 && (
        <ul className="agent-problems" aria-label="Settings that were ignored">
          {agent.problems.map((problem) => (
            <li key={problem} className="line gap-6 small text-waiting">
              <Icon name="warning" size={14} /> {problem}
            </li>
          ))}
        </ul>
      )}
      {!agents.can_edit && (
        <p className="read-only note" data-testid="read-only">
          You can view this agent. Only admins can change it.
        </p>
      )}
      <AgentForm place={place} agent={agent} row={row} models={agents.models} canEdit={agents.can_edit} />
    </>
  );
}
