// Labels of rules and of the layers they come from.
import type { Action, Rule } from "../api/policyTypes";
import type { Reason } from "../api/types";

const LAYER_LABELS: Readonly<Record<string, string>> = {
  defaults: "The preset",
  "site defaults": "The preset",
  site: "The site's policy",
  team: "Your team's policy",
  project: "The project's policy",
  "project file": "A project file",
  session: "The rules of this session",
  grants: "An earlier “always”",
  "site limits": "A limit of the site",
  "team limits": "A limit of your team",
  "project limits": "A limit of the project",
  "parent session": "A limit from the parent session",
};

/** Labels a layer: "team limits" as "A limit of your team". Unknown layers keep their names. */
export function layerLabel(layer: string): string {
  if (Object.hasOwn(LAYER_LABELS, layer)) return LAYER_LABELS[layer] as string;
  if (layer.startsWith("agent ")) return `The agent ${layer.slice(6)}`;
  if (layer.startsWith("parent: ")) {
    const inner = layerLabel(layer.slice(8));
    return `From the parent session: ${inner.charAt(0).toLowerCase()}${inner.slice(1)}`;
  }
  return layer;
}

export const ACTION_VERBS: Record<Action, string> = {
  allow: "allow",
  ask: "ask before",
  deny: "never allow",
};
export const ACTION_LABELS: Record<Action, string> = { allow: "Allowed", ask: "Asked", deny: "Denied" };

const ANY_LABELS: Readonly<Record<string, string>> = {
  "*": "anything",
  bash: "any command",
  edit: "any file change",
  read: "reading any file",
  external_directory: "anything outside the workspace",
  webfetch: "fetching any URL",
  websearch: "any web search",
  egress: "any connection",
  git_push: "any push",
  pull_request: "any pull request",
  setup: "any set-up script of the repository",
  task: "any sub-agent",
  doom_loop: "repeated identical calls",
};

export interface RuleText {
  verb: string;
  /** Plain words ("any command"); empty if `code` is shown instead. */
  label: string;
  /** The pattern of the rule, with its permission in front unless it is a command. */
  code: string;
}

export function ruleText(rule: Rule): RuleText {
  const verb = ACTION_VERBS[rule.action];
  const known = Object.hasOwn(ANY_LABELS, rule.permission) ? ANY_LABELS[rule.permission] : undefined;
  const any = rule.pattern === "*" ? (known ?? `any use of ${rule.permission}`) : "";
  const code = rule.permission === "bash" ? rule.pattern : `${rule.permission} ${rule.pattern}`;
  return { verb, label: any, code: any ? "" : code };
}

/** Whether an allow rule with a wildcard was not applied because the command could not be fully parsed. */
export const isNotApplied = (reason: Pick<Reason, "action" | "rule">): boolean =>
  reason.action === "ask" && reason.rule?.action === "allow";

export const NOT_APPLIED_TEXT = "but the command could not be fully parsed, so a person is asked";

/** "Your team's policy says: ask before `git push *`", as plain text. */
export function reasonLine(reason: Reason): string {
  if (!reason.rule) return `No rule covers ${reason.permission} ${reason.pattern}, so a person is asked`;
  const { verb, label: any, code } = ruleText(reason.rule);
  const but = isNotApplied(reason) ? `, ${NOT_APPLIED_TEXT}` : "";
  return `${layerLabel(reason.layer)} says: ${verb} ${any || `\`${code}\``}${but}`;
}
