// The places that have policies and agents (site, team, project), with links between them.
import { useMe, useProject, useProjects } from "../app/queries";
import { isAdmin } from "../permissions/approvers";
import { kindOf, type PlaceKind } from "./document";

export interface Place {
  place: string;
  kind: PlaceKind;
  name: string;
}

export const placeTitle = ({ kind, name }: Place): string =>
  kind === "site" ? "Policy of the site" : `Policy of ${name}`;
export const placeLabel = ({ kind, name }: Place): string => (kind === "site" ? "Site" : name);

export interface PlaceContext {
  /** The places from the site down to this one. */
  places: Place[];
  here: Place;
  teamId: string | undefined;
  isTeamAdmin: boolean;
  /** A project in which calls can be explained. */
  projectId: string | undefined;
}

/** Returns a place and those above it. Until names are loaded, the id or a generic name is used. */
export function usePlaceContext(place: string): PlaceContext {
  const kind = kindOf(place);
  const teams = useMe().data?.teams ?? [];
  const project = useProject(kind === "project" ? place : undefined).data;
  const projects = useProjects().data?.items ?? [];
  const teamId = kind === "team" ? place : project?.team_id;
  const team = teams.find((item) => item.id === teamId);
  const site: Place = { place: "site", kind: "site", name: "site" };
  const ofTeam: Place[] = teamId ? [{ place: teamId, kind: "team", name: team?.name ?? "the team" }] : [];
  const ofProject: Place[] =
    kind === "project" ? [{ place, kind, name: project?.name ?? "the project" }] : [];
  const places = [site, ...ofTeam, ...ofProject];
  const inTeam = projects.find((item) => !teamId || item.team_id === teamId);
  return {
    places,
    here: places[places.length - 1] ?? site,
    teamId,
    isTeamAdmin: isAdmin(team?.role ?? null),
    projectId: kind === "project" ? place : inTeam?.id,
  };
}
