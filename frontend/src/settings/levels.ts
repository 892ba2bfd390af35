// The levels whose settings the person can open.
import type { Me, Project } from "../api/types";
import { useMe, useProjects } from "../app/queries";
import type { Level } from "./nav";

export const projectLevel = (project: Project, me: Me | null | undefined): Level => ({
  kind: "project",
  project,
  role: me?.teams.find((team) => team.id === project.team_id)?.role ?? null,
});

/** Returns all levels, with a project only after its team. */
export function useLevels(): Level[] {
  const me = useMe().data;
  const projects = useProjects().data?.items ?? [];
  return [
    { kind: "account" },
    ...(me?.teams ?? []).map((team): Level => ({ kind: "team", team })),
    ...projects.map((project) => projectLevel(project, me)),
    { kind: "site" },
  ];
}

/** Returns the level of a place of policies and agents; undefined until it is loaded. */
export function useLevelAt(place: string | undefined): Level | undefined {
  const levels = useLevels();
  if (place === undefined) return undefined;
  return levels.find(
    (level) =>
      (level.kind === "site" && place === "site") ||
      (level.kind === "team" && level.team.id === place) ||
      (level.kind === "project" && level.project.id === place),
  );
}
