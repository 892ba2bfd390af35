// API calls for teams, members, invitations, and the settings of projects.
import { api, body } from "./http";
import type { ChosenRepository } from "./repositories";
import type { components } from "./schema";
import type { Project } from "./types";

type Schemas = components["schemas"];

export type Member = Schemas["MemberView"];
export type RoleName = Member["role"];
export type Invitation = Schemas["InvitationView"];
export type IssuedInvitation = Schemas["IssuedInvitationView"];
export type OpenedInvitation = Schemas["OpenedInvitation"];
export type NewInvitation = Schemas["NewInvitation"];
export type ProjectChange = Partial<
  Pick<Project, "name" | "description" | "suggested_prompt" | "default_agent">
>;

const ofTeam = (id: string) => ({ params: { path: { team_id: id } } });
const ofMember = (id: string) => ({ params: { path: { member_id: id } } });
const ofInvitation = (id: string) => ({ params: { path: { invitation_id: id } } });
const page = (id: string, cursor: string | undefined) => ({
  params: { path: { team_id: id }, query: { limit: 50, cursor } },
});

export const createTeam = (name: string) => body(api.POST("/api/v1/teams", { body: { name } }));
export const renameTeam = (id: string, name: string) =>
  body(api.PATCH("/api/v1/teams/{team_id}", { ...ofTeam(id), body: { name } }));

export const listMembers = (teamId: string, cursor?: string) =>
  body(api.GET("/api/v1/teams/{team_id}/members", page(teamId, cursor)));
export const changeMember = (id: string, change: Schemas["MemberChange"]) =>
  body(api.PATCH("/api/v1/members/{member_id}", { ...ofMember(id), body: change }));
export const removeMember = (id: string) => body(api.DELETE("/api/v1/members/{member_id}", ofMember(id)));
export const transferOwnership = (teamId: string, memberId: string) =>
  body(api.POST("/api/v1/teams/{team_id}/ownership", { ...ofTeam(teamId), body: { member_id: memberId } }));

export const listInvitations = (teamId: string, cursor?: string) =>
  body(api.GET("/api/v1/teams/{team_id}/invitations", page(teamId, cursor)));
export const createInvitation = (teamId: string, invitation: NewInvitation) =>
  body(api.POST("/api/v1/teams/{team_id}/invitations", { ...ofTeam(teamId), body: invitation }));
export const resendInvitation = (id: string) =>
  body(api.POST("/api/v1/invitations/{invitation_id}/resend", ofInvitation(id)));
export const revokeInvitation = (id: string) =>
  body(api.DELETE("/api/v1/invitations/{invitation_id}", ofInvitation(id)));
export const openInvitation = (secret: string) =>
  body(api.POST("/api/v1/invitations/open", { body: { secret } }));
export const acceptInvitation = (secret: string) =>
  body(api.POST("/api/v1/invitations/accept", { body: { secret } }));

export const createProject = (
  teamId: string,
  project: ProjectChange & { name: string; repository?: ChosenRepository },
) =>
  body(
    api.POST("/api/v1/teams/{team_id}/projects", {
      ...ofTeam(teamId),
      body: project as Schemas["NewProject"],
    }),
  );
export const changeProject = (id: string, change: ProjectChange) =>
  body(
    api.PATCH("/api/v1/projects/{project_id}", {
      params: { path: { project_id: id } },
      body: change,
    }),
  );

export type Deletion = Schemas["DeletionView"];

const ofProject = (id: string) => ({ params: { path: { project_id: id } } });

/** Reads the deletion of a team or project. */
export function readDeletion(id: string): Promise<Deletion> {
  return id.startsWith("tea_")
    ? body(api.GET("/api/v1/teams/{team_id}/deletion", ofTeam(id)))
    : body(api.GET("/api/v1/projects/{project_id}/deletion", ofProject(id)));
}

export async function requestDeletion(id: string, name: string): Promise<void> {
  if (id.startsWith("tea_")) {
    await api.POST("/api/v1/teams/{team_id}/deletion", { ...ofTeam(id), body: { name } });
  } else {
    await api.POST("/api/v1/projects/{project_id}/deletion", { ...ofProject(id), body: { name } });
  }
}

export async function cancelDeletion(id: string): Promise<void> {
  if (id.startsWith("tea_")) await api.DELETE("/api/v1/teams/{team_id}/deletion", ofTeam(id));
  else await api.DELETE("/api/v1/projects/{project_id}/deletion", ofProject(id));
}
