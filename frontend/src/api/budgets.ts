// API calls for budgets, and for continuing a session that a budget stopped.
import { api, body } from "./http";
import type { components } from "./schema";

type Schemas = components["schemas"];

export type Budget = Schemas["BudgetView"];
export type BudgetPage = Schemas["BudgetPage"];
export type NewBudget = Pick<Schemas["NewBudget"], "scope" | "period"> & Partial<Schemas["NewBudget"]>;
export type BudgetChange = Partial<Schemas["BudgetChange"]>;

export const listTeamBudgets = (teamId: string, cursor?: string) =>
  body(
    api.GET("/api/v1/teams/{team_id}/budgets", {
      params: { path: { team_id: teamId }, query: cursor ? { cursor } : {} },
    }),
  );

export const listMyBudgets = (cursor?: string) =>
  body(api.GET("/api/v1/me/budgets", { params: { query: cursor ? { cursor } : {} } }));

export const listSessionBudgets = (sessionId: string, cursor?: string) =>
  body(
    api.GET("/api/v1/sessions/{session_id}/budgets", {
      params: { path: { session_id: sessionId }, query: cursor ? { cursor } : {} },
    }),
  );

export const createBudget = (teamId: string, budget: NewBudget) =>
  body(
    api.POST("/api/v1/teams/{team_id}/budgets", {
      params: { path: { team_id: teamId } },
      body: budget as Schemas["NewBudget"],
    }),
  );

const ofBudget = (id: string) => ({ params: { path: { budget_id: id } } });

export const changeBudget = (id: string, change: BudgetChange) =>
  body(
    api.PATCH("/api/v1/budgets/{budget_id}", { ...ofBudget(id), body: change as Schemas["BudgetChange"] }),
  );

export const deleteBudget = (id: string) => body(api.DELETE("/api/v1/budgets/{budget_id}", ofBudget(id)));

export const continueSession = (id: string) =>
  body(api.POST("/api/v1/sessions/{session_id}/continue", { params: { path: { session_id: id } } }));
