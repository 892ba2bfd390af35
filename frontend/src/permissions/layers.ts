// Rules and the layers they come from, in the words of people.
import type { Action, Rule } from "../api/policyTypes";
import type { Reason } from "../api/types";

const LAYERS: Readonly<Record<string, string>> = {
  defaults: "The preset",
  "site defaults": "The preset",
  site: "The site's policy",
  team: "Your team's policy",
  project: "The project's policy",
  "project file": "A file of the repository",
  session: "The rules of this session",
  grants: "An earlier “always”",
  "site limits": "A limit of the site",
  "team limits": "A limit of your team",
  "project limits": "A limit of the project",
  "parent session": "A limit from the parent session",
};

/** "team limits" as "A limit of your team"; an unknown layer keeps its name. */
export function layerWords(layer: string): string {
  if (Object.hasOwn(LAYERS, layer)) return LAYERS[layer] as string;
  if (layer.startsWith("agent ")) return `The agent ${layer.slice(6)}`;
  if (layer.startsWith("parent: ")) {
    const inner = layerWords(layer.slice(8));
    return `From the parent session: ${inner.charAt(0).toLowerCase()}${inner.slice(1)}`;
  }
  return layer;
}

/** Whether nothing below may loosen what this layer says. */
export const isLimitLayer = (layer: string): boolean =>
  layer.endsWith(" limits") || layer.startsWith("parent");

export const ACTION_VERBS: Record<Action, string> = {
  allow: "allow",
  ask: "ask before",
  deny: "never allow",
};
export const ACTION_DONE: Record<Action, string> = { allow: "Allowed", ask: "Asked", deny: "Denied" };

const ANY: Readonly<Record<string, string>> = {
  "*": "anything",
  bash: "any command",
  edit: "any change of a file",
  read: "reading any file",
  external_directory: "anything outside of the workspace",
  webfetch: "fetching any address",
  websearch: "any web search",
  egress: "any connection",
  task: "any sub-agent",
  doom_loop: "a call that repeats itself",
};

export interface RuleWords {
  verb: string;
  /** Plain words ("any command"), or empty when `code` says it. */
  any: string;
  /** The pattern as it stands in the rule; commands stand alone, anything else behind its permission. */
  code: string;
}

export function ruleWords(rule: Rule): RuleWords {
  const verb = ACTION_VERBS[rule.action];
  const known = Object.hasOwn(ANY, rule.permission) ? ANY[rule.permission] : undefined;
  const any = rule.pattern === "*" ? (known ?? `any use of ${rule.permission}`) : "";
  const code = rule.permission === "bash" ? rule.pattern : `${rule.permission} ${rule.pattern}`;
  return { verb, any, code: any ? "" : code };
}

/** An allow with a wildcard counts only for a command that is understood as a whole. */
export const isHeldBack = (reason: Pick<Reason, "action" | "rule">): boolean =>
  reason.action === "ask" && reason.rule?.action === "allow";

export const HELD_BACK = "but the command is not fully understood, so it is asked";

/** "Your team's policy says: ask before `git push *`", as plain text. */
export function reasonLine(reason: Reason): string {
  if (!reason.rule) return `No rule covers ${reason.permission} ${reason.pattern}, so it is asked`;
  const { verb, any, code } = ruleWords(reason.rule);
  const but = isHeldBack(reason) ? `, ${HELD_BACK}` : "";
  return `${layerWords(reason.layer)} says: ${verb} ${any || `\`${code}\``}${but}`;
}
