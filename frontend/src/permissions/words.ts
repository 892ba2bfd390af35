// Permission requests in plain words.
import type { PermissionNeed, PermissionRequest, Reason, Scope } from "../api/types";

const ASKS: Readonly<Record<string, string>> = {
  bash: "Run this command in the workspace?",
  edit: "Change this file?",
  read: "Read this file?",
  external_directory: "Reach outside of the workspace?",
  webfetch: "Fetch this address?",
  websearch: "Search the web?",
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
  return (Object.hasOwn(ASKS, permission) ? ASKS[permission] : undefined) ?? `Use ${request.tool}?`;
}

const DEFAULT_LAYERS = /default/i;

/** Why it is asked, or was allowed: the rule that decided and where it comes from. */
export function reasonWords(reason: Reason): string {
  const verb = { ask: "Asked", allow: "Allowed", deny: "Denied" }[reason.action];
  if (!reason.rule) return `${verb}: no rule covers ${reason.permission} ${reason.pattern}`;
  const rule = `${reason.rule.permission} ${reason.rule.pattern} → ${reason.rule.action}`;
  const layer = DEFAULT_LAYERS.test(reason.layer) ? "the built-in defaults" : reason.layer;
  return `${verb} by the rule “${rule}” of ${layer}`;
}

export interface Grant {
  permission: string;
  pattern: string;
}

/** Exactly what "always" would allow from now on; empty when it is not on offer. */
export function grantsOf(request: PermissionRequest): Grant[] {
  const seen = new Map<string, Grant>();
  for (const { permission, always } of request.needs) {
    for (const pattern of always) seen.set(`${permission} ${pattern}`, { permission, pattern });
  }
  const everyNeed = request.needs.every((need) => need.always.length > 0);
  return everyNeed && request.scopes.length > 0 ? [...seen.values()] : [];
}

export const SCOPE_WORDS: Record<Scope, string> = {
  session: "in this session",
  project: "in the whole project",
};

/** A text of the metadata that the tool gave for this card. */
export function textOf(need: PermissionNeed, name: "command" | "diff" | "description" | "path"): string {
  const value = need.metadata[name];
  return typeof value === "string" ? value : "";
}

/** What a need is about, when neither a command nor a diff shows it. */
export function subjectOf(need: PermissionNeed): string {
  return textOf(need, "path") || need.patterns.join(", ");
}
