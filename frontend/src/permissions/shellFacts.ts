// Results of the analysis of a shell command, from a request's metadata or an explanation.
import type { ShellAnalysis } from "../api/policyTypes";
import type { PermissionNeed } from "../api/types";

export interface ShellFacts {
  commands: string[];
  /** The commands that need an answer, if the rules allow the others. */
  asked: string[];
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
  const commands = stringList(metadata.commands).length > 0 ? stringList(metadata.commands) : need.patterns;
  return {
    commands,
    asked: askedAmong(commands, need),
    reads: stringList(metadata.reads),
    writes: stringList(metadata.writes),
    outside: stringList(metadata.external_directories),
    complete: metadata.complete !== false,
    reasons: stringList(metadata.reasons),
  };
}

/** An incomplete command needs an answer as a whole. */
function askedAmong(commands: readonly string[], { patterns, metadata }: PermissionNeed): string[] {
  const asked = commands.filter((command) => patterns.includes(command));
  return metadata.complete !== false && asked.length < commands.length ? asked : [];
}

export const factsOfAnalysis = (analysis: ShellAnalysis): ShellFacts => ({
  commands: analysis.patterns,
  asked: [],
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
