// Results of the analysis of a shell command, from a request's metadata or an explanation.
import type { ShellAnalysis } from "../api/policyTypes";
import type { PermissionNeed } from "../api/types";

export interface ShellFacts {
  commands: string[];
  reads: string[];
  writes: string[];
  outside: string[];
  complete: boolean;
  reasons: string[];
}

const stringList = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((item): item is string => typeof item === "string") : [];

/** Returns the facts of a need; null if it is not a command. Missing lists are empty. */
export function factsOfNeed(need: PermissionNeed): ShellFacts | null {
  const { metadata } = need;
  if (need.permission !== "bash" || typeof metadata.command !== "string") return null;
  return {
    commands: stringList(metadata.commands).length > 0 ? stringList(metadata.commands) : need.patterns,
    reads: stringList(metadata.reads),
    writes: stringList(metadata.writes),
    outside: stringList(metadata.external_directories),
    complete: metadata.complete !== false,
    reasons: stringList(metadata.reasons),
  };
}

export const factsOfAnalysis = (analysis: ShellAnalysis): ShellFacts => ({
  commands: analysis.patterns,
  reads: [],
  writes: [],
  outside: analysis.external_directories,
  complete: analysis.complete,
  reasons: analysis.reasons,
});

/** Leaves out the list of commands if it only repeats the text. */
export function withoutRepeating(facts: ShellFacts, text: string): ShellFacts {
  const repeats = facts.commands.length === 1 && facts.commands[0]?.trim() === text.trim();
  return repeats ? { ...facts, commands: [] } : facts;
}

export const hasFacts = (facts: ShellFacts): boolean =>
  !facts.complete ||
  [facts.commands, facts.reads, facts.writes, facts.outside, facts.reasons].some((list) => list.length > 0);
