import { useId, useRef } from "react";
import { Link } from "wouter";
import { useMe, useProject, useProjects } from "../app/queries";
import { open } from "../app/shellStore";
import { teamsWithCreation } from "../project/teams";
import { moveWithArrows } from "../ui/arrowKeys";
import { Chevron } from "../ui/Chevron";
import { Icon } from "../ui/Icon";

/** A menu of all projects. The choice opens the project and narrows the list of sessions to it. */
export function ProjectSwitcher({ projectId }: { projectId: string | null }) {
  const id = useId();
  const menu = useRef<HTMLDivElement>(null);
  const projects = useProjects().data?.items ?? [];
  const teams = useMe().data?.teams ?? [];
  const name = useProject(projectId ?? undefined).data?.name;
  const current = projectId ? (name ?? "Project") : "All projects";
  const close = () => menu.current?.hidePopover?.();
  const teamNames = new Map(teams.map((team) => [team.id, team.name]));
  return (
    <>
      <button
        type="button"
        className="switcher rail-link line medium"
        popoverTarget={id}
        aria-haspopup="menu"
        aria-label={`Project: ${current}`}
      >
        <Icon name="stack" />
        <span className="ellipsis grow">{current}</span>
        <Chevron open />
      </button>
      <div
        ref={menu}
        id={id}
        popover="auto"
        className="menu switcher-menu"
        role="menu"
        tabIndex={-1}
        aria-label="Projects"
        onKeyDown={(event) => moveWithArrows(event, "[role^=menuitem]")}
        onToggle={(event) => {
          if (event.newState === "open")
            menu.current?.querySelector<HTMLElement>("[aria-checked=true]")?.focus();
        }}
      >
        <Link href="/" role="menuitemradio" aria-checked={projectId === null} onClick={close}>
          <span className="grow">All projects</span>
          {projectId === null && <Icon name="check" size={14} />}
        </Link>
        {projects.map((project) => (
          <Link
            key={project.id}
            href={`/projects/${project.id}`}
            role="menuitemradio"
            aria-checked={project.id === projectId}
            onClick={close}
          >
            <span className="ellipsis grow">{project.name}</span>
            {teams.length > 1 && (
              <span className="ellipsis small muted">{teamNames.get(project.team_id)}</span>
            )}
            {project.id === projectId && <Icon name="check" size={14} />}
          </Link>
        ))}
        {teamsWithCreation(teams).length > 0 && (
          <>
            <hr />
            <button
              type="button"
              role="menuitem"
              onClick={() => {
                close();
                open("newProject");
              }}
            >
              <Icon name="plus" /> New project
            </button>
          </>
        )}
      </div>
    </>
  );
}
