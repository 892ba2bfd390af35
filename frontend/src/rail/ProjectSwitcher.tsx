import { useMe, useProject, useProjects } from "../app/queries";
import { open } from "../app/shellStore";
import { teamsWithCreation } from "../project/teams";
import { Chevron } from "../ui/Chevron";
import { Icon } from "../ui/Icon";
import { Menu } from "../ui/Menu";
import { LINE, type MenuEntries } from "../ui/menuEntries";

/** A menu of all projects. The choice opens the project and narrows the list of sessions to it. */
export function ProjectSwitcher({ projectId }: { projectId: string | null }) {
  const projects = useProjects().data?.items ?? [];
  const teams = useMe().data?.teams ?? [];
  const name = useProject(projectId ?? undefined).data?.name;
  const current = projectId ? (name ?? "Project") : "All projects";
  const teamNames = new Map(teams.map((team) => [team.id, team.name]));
  const entries = (): MenuEntries => [
    { label: "All projects", href: "/", isChosen: projectId === null },
    ...projects.map((project) => ({
      label: project.name,
      href: `/projects/${project.id}`,
      isChosen: project.id === projectId,
      detail: teams.length > 1 ? (teamNames.get(project.team_id) ?? "") : "",
    })),
    ...(teamsWithCreation(teams).length > 0
      ? ([LINE, { label: "New project", icon: "plus", run: () => open("newProject") }] as const)
      : []),
  ];
  return (
    <Menu
      className="switcher rail-link line medium"
      label={`Project: ${current}`}
      name="Projects"
      entries={entries}
    >
      <Icon name="stack" />
      <span className="ellipsis grow">{current}</span>
      <Chevron open />
    </Menu>
  );
}
