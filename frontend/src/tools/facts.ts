// Reads the metadata of tool calls. Its shape is not guaranteed, so missing or malformed values are ignored.
import type { Attachment } from "../api/attachments";
import type { CallState, ToolCall } from "../api/types";

export type Facts = Readonly<Record<string, unknown>>;

export const textIn = (facts: Facts, name: string): string => {
  const value = facts[name];
  return typeof value === "string" ? value : "";
};

export const numberIn = (facts: Facts, name: string): number | null => {
  const value = facts[name];
  return typeof value === "number" && Number.isFinite(value) ? value : null;
};

/** Returns an object of the metadata, an empty one for other values. */
export const factsIn = (facts: Facts, name: string): Facts => {
  const value = facts[name];
  return isFacts(value) ? value : {};
};

/** Returns the objects in a list of the metadata and ignores other values. */
export function listIn(facts: Facts, name: string): Facts[] {
  const value = facts[name];
  return Array.isArray(value) ? value.filter(isFacts) : [];
}

const isFacts = (value: unknown): value is Facts =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Returns a path relative to the workspace. */
export const shownPath = (path: string): string => path.replace(/^\/workspace\//, "");

/** Returns the path of a call, from its result or arguments. */
export const pathOf = ({ arguments: args, metadata }: Pick<ToolCall, "arguments" | "metadata">): string =>
  shownPath(
    textIn(args, "filePath") || textIn(args, "file_path") || textIn(args, "path") || textIn(metadata, "path"),
  );

/** Returns the id of the MCP server at which a person has to sign in before the call can be made. */
export const signInOf = ({ metadata }: ToolCall): string => textIn(factsIn(metadata, "mcp"), "sign_in");

export type Severity = "error" | "warning" | "information" | "hint";

export interface Diagnostic {
  path: string;
  line: number;
  column: number;
  severity: Severity;
  message: string;
  source: string;
}

/** Severities by the language server's number, from 1; names are accepted too. */
const SEVERITIES: readonly Severity[] = ["error", "warning", "information", "hint"];

function severityOf(value: unknown): Severity {
  if (typeof value === "number") return SEVERITIES[value - 1] ?? "information";
  return SEVERITIES.find((severity) => severity === value) ?? "information";
}

/** Returns diagnostics of the files that the call changed, errors first. */
export function diagnosticsOf(call: ToolCall): Diagnostic[] {
  return listIn(call.metadata, "diagnostics")
    .map((item) => ({
      path: shownPath(textIn(item, "path")),
      line: numberIn(item, "line") ?? 1,
      column: numberIn(item, "column") ?? 1,
      severity: severityOf(item.severity),
      message: textIn(item, "message"),
      source: textIn(item, "source"),
    }))
    .sort((a, b) => SEVERITIES.indexOf(a.severity) - SEVERITIES.indexOf(b.severity));
}

export type Change = "add" | "update" | "delete" | "move";

export interface ChangedFile {
  path: string;
  change: Change;
  movedTo: string;
  diff: string;
  additions: number;
  deletions: number;
}

const CHANGE_KINDS: readonly Change[] = ["add", "update", "delete", "move"];

/** Returns the files of a patch. */
export function patchFilesOf(facts: Facts): ChangedFile[] {
  return listIn(facts, "files").map((file) => ({
    path: shownPath(textIn(file, "path")),
    change: CHANGE_KINDS.find((change) => change === file.change) ?? "update",
    movedTo: shownPath(textIn(file, "moved_to")),
    diff: textIn(file, "diff"),
    additions: numberIn(file, "additions") ?? 0,
    deletions: numberIn(file, "deletions") ?? 0,
  }));
}

/** Summary of a call of a sub-agent or batch. */
export interface CallLine {
  callId: string;
  tool: string;
  title: string;
  state: CallState;
}

const CALL_STATES: readonly CallState[] = ["pending", "running", "waiting", "completed", "error", "aborted"];

const callLines = (items: Facts[]): CallLine[] =>
  items.map((item) => ({
    callId: textIn(item, "call_id"),
    tool: textIn(item, "tool"),
    title: textIn(item, "title"),
    state: CALL_STATES.find((state) => state === item.state) ?? "pending",
  }));

export const batchOf = (call: ToolCall): CallLine[] => callLines(listIn(call.metadata, "calls"));

export interface ChildSession {
  sessionId: string;
  agent: string;
  description: string;
  /** State of its turn: queued, running, waiting, or how it ended. */
  state: string;
  steps: number;
  summary: CallLine[];
  /** Sessions that wait for a person's answer: its own, or those of its sub-agents. */
  waitingSessions: string[];
  /** Set if a budget stopped it or one of its sub-agents. */
  stopped: { sessionId: string; message: string; hint: string } | null;
  cost: number;
  /** Answers of unknown price, which are not in the cost. */
  unpriced: number;
  tokens: number;
}

/** Returns the sub-agent that a task call started, from its arguments until there is metadata. */
export function childOf(call: ToolCall): ChildSession {
  const { metadata, arguments: args } = call;
  return {
    sessionId: textIn(metadata, "session_id"),
    agent: textIn(metadata, "agent") || textIn(args, "subagent_type") || textIn(args, "subagentType"),
    description: textIn(metadata, "description") || textIn(args, "description"),
    state: textIn(metadata, "state"),
    steps: numberIn(metadata, "steps") ?? 0,
    summary: callLines(listIn(metadata, "summary")),
    waitingSessions: [...new Set(listIn(metadata, "waiting").map((item) => textIn(item, "session_id")))],
    stopped: stoppedIn(metadata.stopped),
    cost: numberIn(metadata, "cost") ?? 0,
    unpriced: numberIn(metadata, "unpriced_calls") ?? 0,
    tokens: tokensIn(metadata),
  };
}

const stoppedIn = (told: unknown): ChildSession["stopped"] =>
  isFacts(told)
    ? {
        sessionId: textIn(told, "session_id"),
        message: textIn(told, "message"),
        hint: textIn(told, "hint"),
      }
    : null;

/** Sums tokens, which are a number or counts by kind. */
function tokensIn(metadata: Facts): number {
  const { tokens } = metadata;
  if (!isFacts(tokens)) return numberIn(metadata, "tokens") ?? 0;
  return ["input", "output", "reasoning"].reduce((sum, kind) => sum + (numberIn(tokens, kind) ?? 0), 0);
}

export interface CodeLocation {
  path: string;
  line: number;
  character: number;
  text: string;
}

export const codeLocationsOf = (call: ToolCall): CodeLocation[] =>
  listIn(call.metadata, "results").map((place) => ({
    path: shownPath(textIn(place, "path")),
    line: numberIn(place, "line") ?? 0,
    character: numberIn(place, "character") ?? 0,
    text: textIn(place, "text"),
  }));

export interface SearchResult {
  title: string;
  url: string;
  text: string;
}

export const searchResultsOf = (call: ToolCall): SearchResult[] =>
  listIn(call.metadata, "results").map((result) => ({
    title: textIn(result, "title"),
    url: textIn(result, "url"),
    text: textIn(result, "text"),
  }));

/** Returns the URL if it is http or https, else an empty text. */
export function webAddress(url: string): string {
  try {
    const { protocol } = new URL(url);
    return protocol === "https:" || protocol === "http:" ? url : "";
  } catch {
    return "";
  }
}

const fileOf = (file: Facts): Attachment => ({
  id: textIn(file, "id"),
  name: textIn(file, "name") || "file",
  media_type: textIn(file, "media_type"),
  size: numberIn(file, "size") ?? 0,
  width: numberIn(file, "width") ?? 0,
  height: numberIn(file, "height") ?? 0,
});

/** Returns the attachment of a message part; null if the part is not a file. */
export function fileOfPart({ type, data }: { type: string; data: Facts }): Attachment | null {
  const file = type === "file" && isFacts(data.attachment) ? fileOf(data.attachment) : null;
  return file?.id ? file : null;
}

const PICTURE_TYPES = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);

export const isPicture = (file: Pick<Attachment, "media_type">): boolean =>
  PICTURE_TYPES.has(file.media_type);

/** Whether the call waits for a person, and not for other calls or a sub-agent. */
export const waitsForPerson = ({ state, waits_for: what }: Pick<ToolCall, "state" | "waits_for">): boolean =>
  state === "waiting" && (what === "" || what === "permission" || what === "question");

type WaitState = Pick<ToolCall, "state" | "waits_for" | "metadata">;

/**
 * Returns the state to show. A call waits if its sub-agent waits for a person. It is not a failure if a
 * person stopped the sub-agent or rejected its call.
 */
export function shownState(call: WaitState): CallState {
  if (call.state === "error" && textIn(call.metadata, "state") === "aborted") return "aborted";
  if (call.state !== "waiting" || waitsForPerson(call)) return call.state;
  return listIn(call.metadata, "waiting").length > 0 ? "waiting" : "running";
}

export const isActive = (call: WaitState): boolean => {
  const state = shownState(call);
  return state === "running" || state === "pending";
};

/** Returns the attachments of a call's result. */
export const attachmentsOf = (call: ToolCall): readonly Attachment[] => call.attachments;
