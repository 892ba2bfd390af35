// Queries of budgets and their keys.
import * as api from "../api/budgets";
import { queryClient } from "../app/queries";
import { usePages } from "../lib/usePages";

export const budgetKeys = {
  all: ["budgets"],
  team: (teamId: string) => ["budgets", "team", teamId],
  mine: ["budgets", "mine"],
  session: (sessionId: string) => ["budgets", "session", sessionId],
} as const;

export const useTeamBudgets = (teamId: string) =>
  usePages(budgetKeys.team(teamId), (cursor) => api.listTeamBudgets(teamId, cursor));

export const useMyBudgets = () => usePages(budgetKeys.mine, (cursor) => api.listMyBudgets(cursor));

export const useSessionBudgets = (sessionId: string) =>
  usePages(budgetKeys.session(sessionId), (cursor) => api.listSessionBudgets(sessionId, cursor));

export const refreshBudgets = () => queryClient.invalidateQueries({ queryKey: budgetKeys.all });
