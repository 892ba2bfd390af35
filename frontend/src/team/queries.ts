// Queries of the team page and their keys.
import { useInfiniteQuery } from "@tanstack/react-query";
import * as api from "../api/teams";
import { keys, queryClient } from "../app/queries";

export const teamKeys = {
  members: (teamId: string) => ["teams", teamId, "members"],
  invitations: (teamId: string) => ["teams", teamId, "invitations"],
} as const;

const FIRST = { initialPageParam: undefined as string | undefined };
const next = (last: { next_cursor: string | null }) => last.next_cursor ?? undefined;

export const useMembers = (teamId: string) =>
  useInfiniteQuery({
    queryKey: teamKeys.members(teamId),
    queryFn: ({ pageParam }) => api.listMembers(teamId, pageParam),
    getNextPageParam: next,
    ...FIRST,
  });

export const useInvitations = (teamId: string) =>
  useInfiniteQuery({
    queryKey: teamKeys.invitations(teamId),
    queryFn: ({ pageParam }) => api.listInvitations(teamId, pageParam),
    getNextPageParam: next,
    ...FIRST,
  });

export const refreshMembers = (teamId: string) =>
  queryClient.invalidateQueries({ queryKey: teamKeys.members(teamId) });
export const refreshInvitations = (teamId: string) =>
  queryClient.invalidateQueries({ queryKey: teamKeys.invitations(teamId) });

/** Refreshes the person's own teams and roles, and everything that depends on them. */
export async function refreshMine(): Promise<void> {
  await queryClient.invalidateQueries({ queryKey: keys.me });
  void queryClient.invalidateQueries({ queryKey: keys.projects });
  void queryClient.invalidateQueries({ queryKey: keys.sessionLists });
}
