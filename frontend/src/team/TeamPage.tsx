import { useTabTitle } from "../app/live";
import { useMe } from "../app/queries";
import { useWaiting } from "../app/waiting";
import { NotFound } from "../pages/NotFound";
import { SettingsFrame } from "../settings/SettingsFrame";
import { SettingsTabs } from "../settings/SettingsTabs";
import { Skeleton } from "../ui/Notice";
import { DeletionNotice } from "./DeletionNotice";
import { TEAM_TABS } from "./tabs";

interface TeamPageProps {
  teamId: string;
  tab: string | undefined;
}

/** The settings of a team: members and everything its admins manage. */
export function TeamPage({ teamId, tab }: TeamPageProps) {
  const me = useMe();
  const team = me.data?.teams.find((item) => item.id === teamId);
  useTabTitle(team?.name ?? "", useWaiting().count);
  if (!team && me.isFetching) {
    return (
      <SettingsFrame level={undefined} current="">
        <Skeleton rows={8} label="Loading the team" />
      </SettingsFrame>
    );
  }
  if (!team) return <NotFound what="team" />;
  return (
    <SettingsTabs
      key={team.id}
      level={{ kind: "team", team }}
      tabs={TEAM_TABS.filter((item) => item.isFor(team.role))}
      requested={tab}
      bodyProps={{ team }}
    >
      {team.remove_at && <DeletionNotice team={team} until={team.remove_at} />}
    </SettingsTabs>
  );
}
