// Labels and formats of budgets.
import type { Budget } from "../api/budgets";

export const PERIOD_LABELS: Record<Budget["period"], string> = {
  day: "a day",
  week: "a week",
  month: "a month",
  total: "in total",
};

export const SCOPE_LABELS: Record<Budget["scope"], string> = {
  team: "Team",
  project: "Project",
  person: "Person",
  session: "Session",
};

export const UNKNOWN_PRICE_LABELS: Record<Budget["unknown_prices"], string> = {
  refuse: "Refuse them",
  allow: "Allow them and count only the calls",
  assume: "Count them at this price",
};

/** Formats a decimal text of the server as dollars, with at least two decimals. */
export function formatDollars(amount: string): string {
  const [whole = "0", digits = ""] = amount.split(".");
  const rest = digits.replace(/0+$/, "").padEnd(2, "0");
  return `$${whole.replace(/\B(?=(\d{3})+$)/g, ",")}.${rest}`;
}

/** Returns the share of the limit that is spent or reserved, from 0 to 1. */
export function usedShare(budget: Pick<Budget, "limit" | "spent" | "reserved">): number {
  const limit = Number(budget.limit);
  const used = Number(budget.spent) + Number(budget.reserved);
  if (limit <= 0) return 1;
  return Math.min(1, used / limit);
}

export type UsageLevel = "" | "high" | "full";

export function usageLevel(budget: Pick<Budget, "limit" | "spent" | "reserved">): UsageLevel {
  const used = usedShare(budget);
  if (used >= 1) return "full";
  return used >= 0.8 ? "high" : "";
}

export const LEVEL_LABELS: Record<UsageLevel, string> = { "": "", high: "almost used up", full: "used up" };

export function resetText(budget: Pick<Budget, "window_end">): string {
  if (!budget.window_end) return "";
  const day = new Date(budget.window_end).toLocaleDateString(undefined, {
    dateStyle: "medium",
    timeZone: "UTC",
  });
  return `resets on ${day} (UTC)`;
}
