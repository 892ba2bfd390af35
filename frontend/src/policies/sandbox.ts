// Limits of workspaces in a policy. Pure functions.
import type { PolicyDocument, SandboxOptions } from "../api/policyTypes";
import { formatNumber } from "../lib/format";
import { LIMITS, type LimitKind } from "../workspaces/limits";

/** Returns a limit; null if it is not set, or if the draft is older than the limit. */
export function limitOf(sandbox: SandboxOptions | undefined, name: string): number | null {
  const value = (sandbox as Record<string, unknown> | undefined)?.[name];
  return typeof value === "number" ? value : null;
}

/** Returns the smallest value and its index; null if no value is set. */
export function strictest(values: readonly (number | null)[]): { value: number; at: number } | null {
  let found: { value: number; at: number } | null = null;
  for (const [at, value] of values.entries()) {
    if (value !== null && (!found || value < found.value)) found = { value, at };
  }
  return found;
}

/** The modes of a workspace's network, from the strictest to the loosest. */
export const NETWORK_MODES = [
  { name: "none", label: "None", meaning: "Programs cannot reach anything outside the container." },
  {
    name: "allowlist",
    label: "Allowed hosts",
    meaning: "Only hosts that rules with the permission egress allow. For any other host, a person is asked.",
  },
  {
    name: "packages",
    label: "Package registries",
    meaning:
      "The registries of Python, npm, Debian, Rust, Go, Maven, Ruby, PHP and NuGet too. For any other host, a person is asked.",
  },
  {
    name: "open",
    label: "Public web",
    meaning:
      "Every host of the public web that no rule denies. Code in a workspace can then send its files anywhere.",
  },
] as const;

/** When a mode applies: to commands, and while the project's set-up script runs. */
export const NETWORK_STAGES = [
  {
    name: "network",
    label: "Network of programs",
    meaning:
      "What programs in a workspace can reach. The strictest setting of the site, the team and the project applies. If none is set, programs can reach nothing.",
  },
  {
    name: "setup_network",
    label: "Network during set-up",
    meaning:
      "What programs can reach while the project's set-up runs. If it is not set, the mode of the workspace applies.",
  },
] as const;

export type NetworkStage = (typeof NETWORK_STAGES)[number];

/** Returns how loose a mode is; null if it is not set. */
export function networkRank(mode: string | null | undefined): number | null {
  const at = NETWORK_MODES.findIndex(({ name }) => name === mode);
  return at < 0 ? null : at;
}

/** Says what is wrong with the number; empty if it is valid. */
export function limitProblem({ label, min, max, name, unit }: LimitKind, value: number | null): string {
  if (value === null) return "";
  if (value < min || value > max) {
    const bounds = `${formatNumber(min)} and ${formatNumber(max)} ${unit}`.trim();
    return `${label} must be between ${bounds}.`;
  }
  return name !== "cpus" && !Number.isInteger(value) ? `${label} must be a whole number.` : "";
}

export const sandboxProblems = ({ options }: PolicyDocument): string[] =>
  LIMITS.map((limit) => limitProblem(limit, limitOf(options.sandbox, limit.name))).filter(Boolean);

/** Lists set options as "sandbox.memory_mib = 512", like the server's diffs. */
export const sandboxLines = ({ options }: PolicyDocument): string[] =>
  Object.entries(options.sandbox ?? {}).flatMap(([name, value]) =>
    value === null ? [] : [`sandbox.${name} = ${value}`],
  );

/** Labels an option: "memory_mib" as "Memory". Unknown names are kept. */
export const limitLabel = (name: string): string =>
  LIMITS.find((limit) => limit.name === name)?.label ?? OTHER_LABELS[name] ?? name;

const OTHER_LABELS: Record<string, string> = {
  runtime: "Container runtime",
  ...Object.fromEntries(NETWORK_STAGES.map(({ name, label }) => [name, label])),
  images: "Images that projects may choose",
};
