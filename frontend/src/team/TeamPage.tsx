import { Link } from "wouter";
import { agentsPath } from "../agents/paths";
import { useTabTitle } from "../app/live";
import { useMe } from "../app/queries";
import { useWaiting } from "../app/waiting";
import { NotFound } from "../pages/NotFound";
import { policyPath } from "../policies/paths";
import { LazyTabs } from "../ui/LazyTabs";
import { Skeleton } from "../ui/Notice";
import { workspacesPath } from "../workspaces/paths";
import { DeletionNotice } from "./DeletionNotice";
import { teamPath } from "./paths";
import type { Team } from "./tabProps";
import { TEAM_TABS } from "./tabs";

interface TeamPageProps {
  teamId: string;
  tab: string | undefined;
}

/** The page of a team: members, settings and everything its admins manage. */
export function TeamPage({ teamId, tab }: TeamPageProps) {
  const me = useMe();
  const team = me.data?.teams.find((item) => item.id === teamId);
  useTabTitle(team?.name ?? "", useWaiting().count);
  if (!team && me.isFetching) {
    return (
      <div className="page-frame">
        <main className="page-column vertical" id="main">
          <Skeleton rows={8} label="Loading the team" />
        </main>
      </div>
    );
  }
  if (!team) return <NotFound what="team" />;
  return (
    <div className="page-frame">
      <main className="page-column vertical" id="main">
        <nav className="breadcrumb flow gap-16 gap-y-0 muted" aria-label="More about the team">
          <Link href={policyPath(team.id)} className="aside underlined push-end">
            Policy
          </Link>
          <Link href={agentsPath(team.id)} className="aside underlined push-end">
            Agents
          </Link>
          <Link href={workspacesPath()} className="aside underlined push-end">
            Workspaces
          </Link>
        </nav>
        <h1>{team.name}</h1>
        {team.remove_at && <DeletionNotice team={team} until={team.remove_at} />}
        <TeamTabs key={team.id} team={team} requestedTab={tab} />
      </main>
    </div>
  );
}

function TeamTabs({ team, requestedTab }: { team: Team; requestedTab: string | undefined }) {
  return (
    <LazyTabs
      label="About this team"
      tabs={TEAM_TABS.filter((tab) => tab.isFor(team.role))}
      requested={requestedTab}
      pathOf={(name) => teamPath(team.id, name)}
    >
      {({ Body }) => <Body team={team} />}
    </LazyTabs>
  );
}
