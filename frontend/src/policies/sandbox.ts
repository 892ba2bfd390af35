// The limits of workspaces in a policy: plain values and what can be said of them.
import type { PolicyDocument, SandboxOptions } from "../api/policyTypes";
import { formatNumber } from "../lib/format";
import { LIMITS, type LimitKind } from "../workspaces/limits";

/** The number that is said; null where nothing is, also in a draft from before there were any. */
export function limitOf(sandbox: SandboxOptions | undefined, name: string): number | null {
  const value = (sandbox as Record<string, unknown> | undefined)?.[name];
  return typeof value === "number" ? value : null;
}

/** The smallest of them and where it stands; null when all say nothing. */
export function strictest(values: readonly (number | null)[]): { value: number; at: number } | null {
  let found: { value: number; at: number } | null = null;
  for (const [at, value] of values.entries()) {
    if (value !== null && (!found || value < found.value)) found = { value, at };
  }
  return found;
}

/** What is wrong with the number, in a sentence; empty when nothing is. */
export function boundProblem({ label, least, most, name, unit }: LimitKind, value: number | null): string {
  if (value === null) return "";
  if (value < least || value > most) {
    const bounds = `${formatNumber(least)} and ${formatNumber(most)} ${unit}`.trim();
    return `${label} has to be between ${bounds}.`;
  }
  return name !== "cpus" && !Number.isInteger(value) ? `${label} has to be a whole number.` : "";
}

export const sandboxProblems = ({ options }: PolicyDocument): string[] =>
  LIMITS.map((limit) => boundProblem(limit, limitOf(options.sandbox, limit.name))).filter(Boolean);

/** "sandbox.memory_mib = 512" for each thing that is said, as in the server's diffs. */
export const sandboxLines = ({ options }: PolicyDocument): string[] =>
  Object.entries(options.sandbox ?? {}).flatMap(([name, value]) =>
    value === null ? [] : [`sandbox.${name} = ${value}`],
  );

/** "memory_mib" as "Memory"; a name that is not known stays. */
export const limitLabel = (name: string): string =>
  LIMITS.find((limit) => limit.name === name)?.label ?? (name === "runtime" ? "Container runtime" : name);
