import { Link } from "wouter";
import type { Agent, Agents } from "../api/agents";
import { ApiError } from "../api/http";
import { useTabTitle } from "../app/live";
import { useWaiting } from "../app/waiting";
import { plural } from "../lib/format";
import { NotFound } from "../pages/NotFound";
import { PlaceBreadcrumb } from "../policies/PlaceBreadcrumb";
import { type PlaceContext, usePlaceContext } from "../policies/places";
import { useLevelAt } from "../settings/levels";
import { SettingsFrame } from "../settings/SettingsFrame";
import { Icon } from "../ui/Icon";
import { Problem, Skeleton } from "../ui/Notice";
import { AgentDot } from "./AgentDot";
import { type AgentGroup, groupsOf, originText } from "./fields";
import { agentPath, agentsPath, newAgentPath } from "./paths";
import { useAgents } from "./queries";
import "./agents.css";

/** The agents of a site, team or project, grouped by who can use them, with their origin. */
export function AgentsPage({ place }: { place: string }) {
  const context = usePlaceContext(place);
  const agents = useAgents(place);
  const level = useLevelAt(place);
  const title = `Agents of ${context.here.kind === "site" ? "the site" : context.here.name}`;
  useTabTitle(title, useWaiting().count);
  if (agents.error instanceof ApiError && agents.error.status === 404) return <NotFound what="page" />;
  return (
    <SettingsFrame level={level} current="agents">
      <AgentBreadcrumb context={context} />
      <header className="cluster between gap-16 gap-y-8">
        <h1>{title}</h1>
        {agents.data?.can_edit && (
          <Link href={newAgentPath(place)} className="button">
            <Icon name="plus" /> New agent
          </Link>
        )}
      </header>
      {agents.isPending && <Skeleton rows={8} label="Loading the agents" />}
      {agents.error && !agents.data && <Problem error={agents.error} onRetry={agents.refetch} />}
      {agents.data && <FileProblems problems={agents.data.problems} />}
      {agents.data && <Loaded place={place} agents={agents.data} />}
    </SettingsFrame>
  );
}

export function AgentBreadcrumb({ context }: { context: PlaceContext }) {
  return <PlaceBreadcrumb context={context} label="Agent levels" pathOf={agentsPath} />;
}

/** Agent files of the repository that could not be read. */
function FileProblems({ problems }: { problems: readonly string[] }) {
  if (problems.length === 0) return null;
  return (
    <ul className="agent-problems" aria-label="Invalid agent files">
      {problems.map((problem) => (
        <li key={problem} className="line gap-6 small text-waiting">
          <Icon name="warning" size={14} /> {problem}
        </li>
      ))}
    </ul>
  );
}

function Loaded({ place, agents }: { place: string; agents: Agents }) {
  return groupsOf(agents.items).map((group) => (
    <AgentGroupSection key={group.title} group={group} place={place} defaultName={agents.default} />
  ));
}

function AgentGroupSection({
  group,
  place,
  defaultName,
}: {
  group: AgentGroup;
  place: string;
  defaultName: string;
}) {
  return (
    <section className="agent-group" aria-label={group.title}>
      <header className="flow align-baseline gap-12 gap-y-0">
        <h2>
          {group.title}
          <span className="count">{group.agents.length}</span>
        </h2>
        <p className="muted">{group.hint}</p>
      </header>
      <ul className="ruled-top">
        {group.agents.map((agent) => (
          <li key={agent.name}>
            <AgentLine agent={agent} place={place} isDefault={agent.name === defaultName} />
          </li>
        ))}
      </ul>
    </section>
  );
}

interface AgentLineProps {
  agent: Agent;
  place: string;
  isDefault: boolean;
}

function AgentLine({ agent, place, isDefault: isUsual }: AgentLineProps) {
  const marks = [
    isUsual ? "Default" : "",
    agent.mode === "all" ? "Also a sub-agent" : "",
    agent.model,
  ].filter(Boolean);
  return (
    <Link
      href={agentPath(place, agent.name)}
      className="agent-line flex align-start gap-12 ruled"
      data-testid="agent-line"
    >
      <AgentDot agent={agent} />
      <span className="agent-line-text stack gap-0 grow">
        <span className="cluster gap-y-4 semibold">
          {agent.name}
          {marks.map((mark) => (
            <span key={mark} className="badge">
              {mark}
            </span>
          ))}
        </span>
        <span className="muted">{agent.description || "No description"}</span>
        {agent.problems.length > 0 && (
          <span className="line gap-6 small text-waiting">
            <Icon name="warning" size={12} /> {plural(agent.problems.length, "setting")} ignored
          </span>
        )}
      </span>
      <span className="agent-line-origin no-shrink small break-anywhere muted">{originText(agent)}</span>
      <Icon name="chevron" size={12} />
    </Link>
  );
}
