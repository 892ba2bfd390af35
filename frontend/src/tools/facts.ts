// What a tool told about its call, read carefully: metadata is open, and a missing or odd value is no fact.
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

/** The objects of a list; anything else in it is left out. */
export function listIn(facts: Facts, name: string): Facts[] {
  const value = facts[name];
  return Array.isArray(value) ? value.filter(isFacts) : [];
}

const isFacts = (value: unknown): value is Facts =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Paths are shown as seen from the workspace. */
export const shownPath = (path: string): string => path.replace(/^\/workspace\//, "");

/** The path that a call is about, as its arguments or its result name it. */
export const pathOf = ({ arguments: args, metadata }: Pick<ToolCall, "arguments" | "metadata">): string =>
  shownPath(
    textIn(args, "filePath") || textIn(args, "file_path") || textIn(args, "path") || textIn(metadata, "path"),
  );

export type Severity = "error" | "warning" | "information" | "hint";

export interface Diagnostic {
  path: string;
  line: number;
  column: number;
  severity: Severity;
  message: string;
  source: string;
}

/** Language servers count severities from 1; words are understood too. */
const SEVERITIES: readonly Severity[] = ["error", "warning", "information", "hint"];

function severityOf(value: unknown): Severity {
  if (typeof value === "number") return SEVERITIES[value - 1] ?? "information";
  return SEVERITIES.find((severity) => severity === value) ?? "information";
}

/** What language servers say about the files that the call changed, errors first. */
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

const CHANGES: readonly Change[] = ["add", "update", "delete", "move"];

/** The files of a patch. */
export function patchFilesOf(facts: Facts): ChangedFile[] {
  return listIn(facts, "files").map((file) => ({
    path: shownPath(textIn(file, "path")),
    change: CHANGES.find((change) => change === file.change) ?? "update",
    movedTo: shownPath(textIn(file, "moved_to")),
    diff: textIn(file, "diff"),
    additions: numberIn(file, "additions") ?? 0,
    deletions: numberIn(file, "deletions") ?? 0,
  }));
}

/** A call of somebody else (a sub-agent, a batch) as its summary tells it. */
export interface CallLine {
  callId: string;
  tool: string;
  title: string;
  state: CallState;
}

const STATES: readonly CallState[] = ["pending", "running", "waiting", "completed", "error", "aborted"];

const callLines = (items: Facts[]): CallLine[] =>
  items.map((item) => ({
    callId: textIn(item, "call_id"),
    tool: textIn(item, "tool"),
    title: textIn(item, "title"),
    state: STATES.find((state) => state === item.state) ?? "pending",
  }));

export const batchOf = (call: ToolCall): CallLine[] => callLines(listIn(call.metadata, "calls"));

export interface ChildSession {
  sessionId: string;
  agent: string;
  description: string;
  /** Of its turn: queued, running, waiting, or how it ended. */
  state: string;
  steps: number;
  summary: CallLine[];
  /** Sessions in which somebody has to answer before it goes on: its own, or those of sub-agents below it. */
  waitingSessions: string[];
  /** A budget stopped it, or a sub-agent below it. */
  stopped: { sessionId: string; message: string; hint: string } | null;
  cost: number;
  tokens: number;
}

/** The sub-agent that a task call started; its arguments tell about it until the first news come. */
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

/** A number, or counts by kind. */
function tokensIn(metadata: Facts): number {
  const { tokens } = metadata;
  if (!isFacts(tokens)) return numberIn(metadata, "tokens") ?? 0;
  return ["input", "output", "reasoning"].reduce((sum, kind) => sum + (numberIn(tokens, kind) ?? 0), 0);
}

export interface CodePlace {
  path: string;
  line: number;
  character: number;
  text: string;
}

export const codePlacesOf = (call: ToolCall): CodePlace[] =>
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

/** Where a person may follow it; empty for anything but the web. */
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

/** The file of a part of a message; null for other parts. */
export function fileOfPart({ type, data }: { type: string; data: Facts }): Attachment | null {
  const file = type === "file" && isFacts(data.attachment) ? fileOf(data.attachment) : null;
  return file?.id ? file : null;
}

const SHOWN_AS_PICTURE = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);

export const isPicture = (file: Pick<Attachment, "media_type">): boolean =>
  SHOWN_AS_PICTURE.has(file.media_type);

/** Whether the call waits for a person; a call that waits for other calls or for a sub-agent goes on by itself. */
export const waitsForPerson = ({ state, waits_for: what }: Pick<ToolCall, "state" | "waits_for">): boolean =>
  state === "waiting" && (what === "" || what === "permission" || what === "question");

type Waiting = Pick<ToolCall, "state" | "waits_for" | "metadata">;

/** The state as people see it. A sub-agent that waits for a person makes its call wait for them, and one that a person
 * stopped, or whose call they rejected, has not failed. */
export function shownState(call: Waiting): CallState {
  if (call.state === "error" && textIn(call.metadata, "state") === "aborted") return "aborted";
  if (call.state !== "waiting" || waitsForPerson(call)) return call.state;
  return listIn(call.metadata, "waiting").length > 0 ? "waiting" : "running";
}

export const isGoing = (call: Waiting): boolean => {
  const state = shownState(call);
  return state === "running" || state === "pending";
};

/** Files that a call gave back. */
export const attachmentsOf = (call: ToolCall): readonly Attachment[] => call.attachments;
