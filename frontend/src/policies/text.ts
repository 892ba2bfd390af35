// Rules as text: one per line as `action permission pattern…`, `!` in front of limits, `#` for comments.
import type { Action, Expectation, PolicyDocument, Rule } from "../api/policyTypes";
import { sandboxLines } from "./sandbox";

export interface TextError {
  line: number;
  message: string;
}

export interface ParsedText {
  rules: Rule[];
  enforced: Rule[];
  errors: TextError[];
}

const ACTIONS: readonly string[] = ["allow", "ask", "deny"];
const MAX_PERMISSION_LENGTH = 100;
const MAX_PATTERN_LENGTH = 2000;
/**
 * Characters to escape: backslashes, line breaks, and spaces that would be lost (at either end, or in a
 * permission).
 */
const ESCAPED = /[\\\n\r\t\u2028\u2029]|^\s+|\s+$/g;
const ESCAPED_IN_WORD = /[\\\s]/g;
const ESCAPE_SEQUENCES: Readonly<Record<string, string>> = {
  "\\": "\\\\",
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
};
const UNESCAPED: Readonly<Record<string, string>> = { "\\\\": "\\", "\\n": "\n", "\\r": "\r", "\\t": "\t" };

const escapeAll = (text: string): string =>
  [...text]
    .map((char) => ESCAPE_SEQUENCES[char] ?? `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}`)
    .join("");
const unescapeText = (text: string): string =>
  text.replace(/\\[\\nrt]|\\u\{([0-9a-f]{1,6})\}/g, (found, code?: string) =>
    code === undefined
      ? (UNESCAPED[found] ?? found)
      : String.fromCodePoint(Math.min(Number.parseInt(code, 16), 0x10ffff)),
  );

export const ruleLine = ({ action, permission, pattern }: Rule, enforced: boolean): string =>
  `${enforced ? "! " : ""}${action} ${permission.replace(ESCAPED_IN_WORD, escapeAll)} ${pattern.replace(ESCAPED, escapeAll)}`;

/** Formats the rules of a policy and then its limits, like the server's diffs. */
export function rulesText({ rules, enforced }: Pick<PolicyDocument, "rules" | "enforced">): string {
  return [
    ...rules.map((rule) => ruleLine(rule, false)),
    ...enforced.map((rule) => ruleLine(rule, true)),
  ].join("\n");
}

/** Parses all lines. A line that cannot be parsed becomes an error with its number, counted from 1. */
export function parseRules(text: string): ParsedText {
  const parsed: ParsedText = { rules: [], enforced: [], errors: [] };
  for (const [index, line] of text.split("\n").entries()) {
    const content = line.trim();
    if (content === "" || content.startsWith("#")) continue;
    const enforced = content.startsWith("!");
    const rule = parseRule(enforced ? content.slice(1).trimStart() : content);
    if (typeof rule === "string") parsed.errors.push({ line: index + 1, message: rule });
    else parsed[enforced ? "enforced" : "rules"].push(rule);
  }
  return parsed;
}

/** Parses a line; returns the rule or an error message. */
function parseRule(content: string): Rule | string {
  const [, action = "", permissionWord = "", rest = ""] = /^(\S+)\s*(\S*)\s*(.*)$/su.exec(content) ?? [];
  if (!ACTIONS.includes(action)) {
    return `“${action}” is not an action. A line begins with allow, ask or deny.`;
  }
  if (!permissionWord) return "The permission is missing, such as bash, edit or read.";
  const permission = unescapeText(permissionWord);
  const pattern = rest ? unescapeText(rest) : "*";
  if (permission.length > MAX_PERMISSION_LENGTH) {
    return `The permission is longer than ${MAX_PERMISSION_LENGTH} characters.`;
  }
  if (pattern.length > MAX_PATTERN_LENGTH)
    return `The pattern is longer than ${MAX_PATTERN_LENGTH} characters.`;
  return { action: action as Action, permission, pattern };
}

/** Formats the whole policy as lines, like the server's diffs. */
export function documentLines(document: PolicyDocument): string[] {
  const { preset, rules, enforced, options, expectations } = document;
  const set = (key: string, value: unknown) => (value === null || value === "" ? [] : [`${key} = ${value}`]);
  return [
    ...set("preset", preset),
    ...rules.map((rule) => ruleLine(rule, false)),
    ...enforced.map((rule) => ruleLine(rule, true)),
    ...set("approvers", options.approvers),
    ...set("incomplete_commands", options.incomplete_commands ?? null),
    ...set("wait_hours", options.wait_hours),
    ...set("public_share_links", options.public_share_links),
    ...set("subagent_depth", options.subagent_depth),
    ...(["session", "project", "team"] as const).flatMap((scope) =>
      set(`always.${scope}`, options.always[scope]),
    ),
    ...options.loosenable.map((item) => `loosenable = ${item.permission} ${item.pattern}`),
    ...sandboxLines(document),
    ...(["lines", "bytes"] as const).flatMap((name) =>
      set(`tool_output.${name}`, options.tool_output?.[name] ?? null),
    ),
    ...set("mcp.repository_hosts", options.mcp?.repository_hosts?.join(", ") ?? null),
    ...set("mcp.own_servers", options.mcp?.own_servers ?? null),
    ...expectations.map(expectationLine),
  ].map((line) => line.replaceAll("\n", "\\n"));
}

function expectationLine({ expect, permission, pattern, command, agent, note }: Expectation): string {
  const call = command ? `command ${command}` : `${permission} ${pattern}`;
  return `# expect ${expect} for ${agent}: ${call}${note ? `  (${note})` : ""}`;
}
