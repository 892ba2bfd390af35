// Labels of permission requests.
import type { PermissionNeed, PermissionRequest, Scope } from "../api/types";
import { factsIn, numberIn } from "../tools/facts";
import { shownName } from "./approvers";

const QUESTIONS: Readonly<Record<string, string>> = {
  bash: "Run this command in the workspace?",
  edit: "Change this file?",
  read: "Read this file?",
  external_directory: "Access something outside the workspace?",
  webfetch: "Fetch this URL?",
  websearch: "Search the web?",
  codesearch: "Search public code?",
  skill: "Load this skill?",
  lsp: "Query the language server?",
  glob: "Find these files?",
  grep: "Search these files?",
  list: "List this folder?",
  todowrite: "Write the todo list?",
  todoread: "Read the todo list?",
  question: "Ask you a question?",
  plan_enter: "Switch to planning?",
  plan_exit: "Leave planning and start the work?",
  task: "Start this sub-agent?",
  doom_loop: "The agent may be stuck in a loop. Continue?",
  egress: "Connect to this address?",
  git_push: "Push to this branch?",
  pull_request: "Open this pull request?",
  memory: "Change the memory of this project?",
  mcp_account: "Use this account?",
  setup: "Run the repository's set-up script?",
  mcp_server: "Use this MCP server of the repository?",
};

/**
 * Returns the heading of a request. If it needs several permissions, access outside the workspace comes first
 * as the more serious one.
 */
export function requestHeading(request: PermissionRequest): string {
  const permissions = request.needs.map((need) => need.permission);
  const grave = permissions.find(
    (permission) => permission === "external_directory" || permission === "doom_loop",
  );
  const permission = grave ?? permissions[0] ?? request.tool;
  if (permission === "edit" && request.needs.some((need) => need.patterns.length > 1)) {
    return "Change these files?";
  }
  if (request.needs.some((need) => (numberIn(factsIn(need.metadata, "pull_request"), "number") ?? 0) > 0)) {
    return "Update this pull request?";
  }
  return (Object.hasOwn(QUESTIONS, permission) ? QUESTIONS[permission] : undefined) ?? `Use ${request.tool}?`;
}

export interface AlwaysGrant {
  permission: string;
  pattern: string;
}

/** Returns what the answer "always" would allow; empty if it is not offered. */
export function grantsOf(request: PermissionRequest): AlwaysGrant[] {
  const seen = new Map<string, AlwaysGrant>();
  for (const { permission, always } of request.needs) {
    for (const pattern of always) seen.set(`${permission} ${pattern}`, { permission, pattern });
  }
  const everyNeed = request.needs.every((need) => need.always.length > 0);
  return everyNeed && request.scopes.length > 0 ? [...seen.values()] : [];
}

export const SCOPE_LABELS: Record<Scope, string> = {
  session: "in this session",
  project: "in the whole project",
  team: "in the whole team",
};

/** Reads a text from the metadata of a need. */
export function textOf(
  need: PermissionNeed,
  name: "command" | "diff" | "description" | "path" | "prompt",
): string {
  const value = need.metadata[name];
  return typeof value === "string" ? value : "";
}

/**
 * Returns the subject of a need that neither a command nor a diff shows; empty if the heading already says
 * it.
 */
export function subjectOf(need: PermissionNeed): string {
  return textOf(need, "path") || need.patterns.filter((pattern) => pattern !== "*").join(", ");
}

const OUTCOME_LABELS = { once: "Allowed once", always: "Always allowed", rejected: "Rejected" } as const;

/** Describes the answer to a request: "Allowed once by Dana". */
export function outcomeText(request: PermissionRequest): string {
  const { state, answered_by: by, message } = request;
  if (state === "open") return "Waiting for an answer.";
  if (state === "cancelled") return "The request was withdrawn.";
  const who = by ? ` by ${shownName(by)}` : "";
  const where = state === "always" && request.scope ? ` ${SCOPE_LABELS[request.scope]}` : "";
  const ending = state === "rejected" && message ? `: ${message}` : ".";
  return `${OUTCOME_LABELS[state]}${where}${who}${ending}`;
}
