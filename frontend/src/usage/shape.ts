// Shapes usage for charts and tables. Pure functions.
import type { GroupBy, UsageGroup, UsageSums } from "../api/providers";
import { formatCost, formatCount, plural } from "../lib/format";

const DAY_MS = 86_400_000;

export const GROUP_LABELS: Record<GroupBy, string> = {
  day: "Day",
  model: "Model",
  provider: "Provider",
  person: "Person",
  project: "Project",
  session: "Session",
  purpose: "Purpose",
};

export const SPAN_DAYS: Readonly<Record<string, number>> = {
  "7 days": 7,
  "30 days": 30,
  "90 days": 90,
  "1 year": 365,
};

/** Returns the period from `days` before today up to today, in UTC. */
export function spanOf(days: number, now: number = Date.now()): { since: string; until: string } {
  return { since: isoDay(now - (days - 1) * DAY_MS), until: isoDay(now) };
}

export const isoDay = (time: number): string => new Date(time).toISOString().slice(0, 10);

export type Measure = "cost" | "tokens" | "calls";

export const MEASURE_LABELS: Record<Measure, string> = { cost: "Cost", tokens: "Tokens", calls: "Calls" };

/** Returns the number that a chart shows of some usage. */
export function measured(sums: UsageSums, measure: Measure): number {
  if (measure === "cost") return Number(sums.cost);
  return measure === "tokens" ? tokensOf(sums) : sums.calls;
}

/** Formats such a number. A cost leaves out `unknown` calls, whose price is not known, and says so. */
export function formatMeasured(amount: number, measure: Measure, unknown = 0): string {
  if (measure === "cost") return formatCost(amount, unknown);
  return measure === "tokens" ? `${formatCount(amount)} tokens` : plural(amount, "call");
}

export interface Bar {
  key: string;
  label: string;
  amount: number;
  /** Calls of unknown price, which a cost leaves out. */
  unknown: number;
}

/** Returns one bar per day, including days without usage. */
export function dailyBars(
  groups: readonly UsageGroup[],
  since: string,
  until: string,
  measure: Measure,
): Bar[] {
  const found = new Map(groups.map((group) => [group.key, group]));
  const bars: Bar[] = [];
  for (let time = Date.parse(since); time <= Date.parse(until); time += DAY_MS) {
    const key = isoDay(time);
    const group = found.get(key);
    const unknown = group?.unknown ?? 0;
    bars.push({ key, label: key, amount: group ? measured(group, measure) : 0, unknown });
  }
  return bars;
}

export const tokensOf = ({ tokens }: UsageSums): number =>
  tokens.input + tokens.output + tokens.reasoning + tokens.cache_read + tokens.cache_write;

export const unknownPriceText = (unknown: number): string =>
  unknown === 0 ? "" : `${unknown} ${unknown === 1 ? "call" : "calls"} with unknown price`;
