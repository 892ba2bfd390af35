// Queries of the team page and their keys.
import * as api from "../api/teams";
import { keys, queryClient } from "../app/queries";
import { usePages } from "../lib/usePages";

export const teamKeys = {
  members: (teamId: string) => ["teams", teamId, "members"],
  invitations: (teamId: string) => ["teams", teamId, "invitations"],
} as const;

export const useMembers = (teamId: string) =>
  usePages(teamKeys.members(teamId), (cursor) => api.listMembers(teamId, cursor));

export const useInvitations = (teamId: string) =>
  usePages(teamKeys.invitations(teamId), (cursor) => api.listInvitations(teamId, cursor));

export const refreshMembers = (teamId: string) =>
  queryClient.invalidateQueries({ queryKey: teamKeys.members(teamId) });
export const refreshInvitations = (teamId: string) =>
  queryClient.invalidateQueries({ queryKey: teamKeys.invitations(teamId) });

/** Refreshes the person's own teams and roles, and everything that depends on them. */
export async function refreshOwnTeams(): Promise<void> {
  await queryClient.invalidateQueries({ queryKey: keys.me });
  void queryClient.invalidateQueries({ queryKey: keys.projects });
  void queryClient.invalidateQueries({ queryKey: keys.sessionLists });
}
