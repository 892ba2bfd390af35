// Queries of the team page and their keys.
import { useInfiniteQuery } from "@tanstack/react-query";
import * as api from "../api/teams";
import { keys, queryClient } from "../app/queries";

export const teamKeys = {
  members: (teamId: string) => ["teams", teamId, "members"],
  invitations: (teamId: string) => ["teams", teamId, "invitations"],
} as const;

const FIRST_PAGE = { initialPageParam: undefined as string | undefined };
const nextCursor = (last: { next_cursor: string | null }) => last.next_cursor ?? undefined;

export const useMembers = (teamId: string) =>
  useInfiniteQuery({
    queryKey: teamKeys.members(teamId),
    queryFn: ({ pageParam }) => api.listMembers(teamId, pageParam),
    getNextPageParam: nextCursor,
    ...FIRST_PAGE,
  });

export const useInvitations = (teamId: string) =>
  useInfiniteQuery({
    queryKey: teamKeys.invitations(teamId),
    queryFn: ({ pageParam }) => api.listInvitations(teamId, pageParam),
    getNextPageParam: nextCursor,
    ...FIRST_PAGE,
  });

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
