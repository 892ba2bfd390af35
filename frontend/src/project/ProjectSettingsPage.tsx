import { ApiError } from "../api/http";
import { useTabTitle } from "../app/live";
import { useMe, useProject } from "../app/queries";
import { useWaiting } from "../app/waiting";
import { NotFound } from "../pages/NotFound";
import { projectLevel } from "../settings/levels";
import { SettingsFrame } from "../settings/SettingsFrame";
import { SettingsTabs } from "../settings/SettingsTabs";
import { Problem, Skeleton } from "../ui/Notice";
import { mayChangeProjects, PROJECT_TABS } from "./tabs";

interface ProjectSettingsPageProps {
  projectId: string;
  tab: string | undefined;
}

/** The settings of a project. */
export function ProjectSettingsPage({ projectId, tab }: ProjectSettingsPageProps) {
  const found = useProject(projectId);
  const me = useMe().data;
  const project = found.data;
  useTabTitle(project ? `Settings of ${project.name}` : "Settings", useWaiting().count);
  if (found.error instanceof ApiError && found.error.status === 404) return <NotFound what="project" />;
  if (!project) {
    return (
      <SettingsFrame level={undefined} current="">
        {found.error && <Problem error={found.error} onRetry={found.refetch} />}
        {found.isPending && <Skeleton rows={8} label="Loading the project" />}
      </SettingsFrame>
    );
  }
  const role = me?.teams.find((team) => team.id === project.team_id)?.role ?? null;
  return (
    <SettingsTabs
      key={projectId}
      level={projectLevel(project, me)}
      tabs={PROJECT_TABS.filter((item) => item.isFor(role))}
      requested={tab}
      bodyProps={{ project, mayChange: mayChangeProjects(role) }}
    />
  );
}
