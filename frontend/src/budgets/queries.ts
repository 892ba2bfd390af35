// Queries of budgets and their keys.
import { useInfiniteQuery } from "@tanstack/react-query";
import * as api from "../api/budgets";
import { queryClient } from "../app/queries";

export const budgetKeys = {
  all: ["budgets"],
  team: (teamId: string) => ["budgets", "team", teamId],
  mine: ["budgets", "mine"],
  session: (sessionId: string) => ["budgets", "session", sessionId],
} as const;

const FIRST_PAGE = { initialPageParam: undefined as string | undefined };
const nextCursor = (last: { next_cursor: string | null }) => last.next_cursor ?? undefined;

export const useTeamBudgets = (teamId: string) =>
  useInfiniteQuery({
    queryKey: budgetKeys.team(teamId),
    queryFn: ({ pageParam }) => api.listTeamBudgets(teamId, pageParam),
    getNextPageParam: nextCursor,
    ...FIRST_PAGE,
  });

export const useMyBudgets = () =>
  useInfiniteQuery({
    queryKey: budgetKeys.mine,
    queryFn: ({ pageParam }) => api.listMyBudgets(pageParam),
    getNextPageParam: nextCursor,
    ...FIRST_PAGE,
  });

export const useSessionBudgets = (sessionId: string) =>
  useInfiniteQuery({
    queryKey: budgetKeys.session(sessionId),
    queryFn: ({ pageParam }) => api.listSessionBudgets(sessionId, pageParam),
    getNextPageParam: nextCursor,
    ...FIRST_PAGE,
  });

export const refreshBudgets = () => queryClient.invalidateQueries({ queryKey: budgetKeys.all });
