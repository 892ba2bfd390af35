// Permission requests in plain words.
import type { PermissionNeed, PermissionRequest, Scope } from "../api/types";
import { shownName } from "./approvers";

const ASKS: Readonly<Record<string, string>> = {
  bash: "Run this command in the workspace?",
  edit: "Change this file?",
  read: "Read this file?",
  external_directory: "Reach outside of the workspace?",
  webfetch: "Fetch this address?",
  websearch: "Search the web?",
  codesearch: "Search public code?",
  skill: "Load this skill?",
  lsp: "Ask the language server?",
  glob: "Look for these files?",
  grep: "Search these files?",
  list: "List this folder?",
  todowrite: "Write the todo list?",
  todoread: "Read the todo list?",
  question: "Ask you a question?",
  plan_enter: "Switch to planning?",
  plan_exit: "Leave planning and begin the work?",
  task: "Start this sub-agent?",
  doom_loop: "The agent repeats the same call. Let it go on?",
  egress: "Connect to this address?",
};

/** Reaching outside is the graver matter, so it names the question when several things are asked at once. */
export function questionFor(request: PermissionRequest): string {
  const permissions = request.needs.map((need) => need.permission);
  const grave = permissions.find(
    (permission) => permission === "external_directory" || permission === "doom_loop",
  );
  const permission = grave ?? permissions[0] ?? request.tool;
  if (permission === "edit" && request.needs.some((need) => need.patterns.length > 1)) {
    return "Change these files?";
  }
  return (Object.hasOwn(ASKS, permission) ? ASKS[permission] : undefined) ?? `Use ${request.tool}?`;
}

export interface Granted {
  permission: string;
  pattern: string;
}

/** Exactly what "always" would allow from now on; empty when it is not on offer. */
export function grantsOf(request: PermissionRequest): Granted[] {
  const seen = new Map<string, Granted>();
  for (const { permission, always } of request.needs) {
    for (const pattern of always) seen.set(`${permission} ${pattern}`, { permission, pattern });
  }
  const everyNeed = request.needs.every((need) => need.always.length > 0);
  return everyNeed && request.scopes.length > 0 ? [...seen.values()] : [];
}

export const SCOPE_WORDS: Record<Scope, string> = {
  session: "in this session",
  project: "in the whole project",
  team: "in the whole team",
};

/** A text of the metadata that the tool gave for this card. */
export function textOf(
  need: PermissionNeed,
  name: "command" | "diff" | "description" | "path" | "prompt",
): string {
  const value = need.metadata[name];
  return typeof value === "string" ? value : "";
}

/** What a need is about, when neither a command nor a diff shows it; empty where its name says all. */
export function subjectOf(need: PermissionNeed): string {
  return textOf(need, "path") || need.patterns.filter((pattern) => pattern !== "*").join(", ");
}

const OUTCOMES = { once: "Allowed once", always: "Always allowed", rejected: "Rejected" } as const;

/** What became of a request: "Allowed once by Dana". */
export function outcomeWords(request: PermissionRequest): string {
  const { state, answered_by: by, message } = request;
  if (state === "open") return "Waits for an answer.";
  if (state === "cancelled") return "The question was withdrawn.";
  const who = by ? ` by ${shownName(by)}` : "";
  const where = state === "always" && request.scope ? ` ${SCOPE_WORDS[request.scope]}` : "";
  const words = state === "rejected" && message ? `: ${message}` : ".";
  return `${OUTCOMES[state]}${where}${who}${words}`;
}
