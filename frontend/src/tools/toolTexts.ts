// Icon, verbs and object of each tool's row. Tools without an entry show their name.
import type { ToolCall } from "../api/types";
import { formatBytes, plural } from "../lib/format";
import type { IconName } from "../ui/Icon";
import { BROWSER_TEXT } from "./browserText";
import { batchOf, childOf, numberIn, patchFilesOf, pathOf, shownPath, textIn } from "./facts";

/** Verbs for a running call, a completed one, and one that did not complete (waiting, failed, stopped). */
export type Verbs = readonly [doing: string, done: string, todo: string];

export interface ToolText {
  icon: IconName;
  verbs: Verbs | ((call: ToolCall) => Verbs);
  object: (call: ToolCall) => string;
  /** The object is prose, not a path, pattern or command. */
  plain?: boolean | ((call: ToolCall) => boolean);
  /** Short result after the object of a completed call: counts, exit code. */
  fact?: (call: ToolCall) => string;
  /** Short progress after the object of a running call. */
  progress?: (call: ToolCall) => string;
}

const argument = (call: ToolCall, name: string) => textIn(call.arguments, name);
const counted = (name: string, one: string, many?: string) => (call: ToolCall) => {
  const count = numberIn(call.metadata, name);
  return count === null ? "" : plural(count, one, many);
};
const todoList = () => "the todo list";
const results = (call: ToolCall) =>
  Array.isArray(call.metadata.results) ? plural(call.metadata.results.length, "result") : "";

const PATCH_TEXT: ToolText = {
  icon: "edit",
  verbs: ["Patching", "Patched", "Patch"],
  object: (call) => soleItem(patchedPaths(call)),
  plain: (call) => patchedPaths(call).length !== 1,
};

export const TOOL_TEXTS: Readonly<Record<string, ToolText>> = {
  read: {
    icon: "file",
    verbs: ["Reading", "Read", "Read"],
    object: pathOf,
    fact: (call) => (textIn(call.metadata, "kind") ? "" : counted("lines", "line")(call)),
  },
  write: { icon: "edit", verbs: ["Writing", "Wrote", "Write"], object: pathOf },
  edit: { icon: "edit", verbs: ["Editing", "Edited", "Edit"], object: pathOf },
  multiedit: {
    icon: "edit",
    verbs: ["Editing", "Edited", "Edit"],
    object: pathOf,
    fact: edits,
    progress: edits,
  },
  apply_patch: PATCH_TEXT,
  patch: PATCH_TEXT,
  glob: {
    icon: "explore",
    verbs: ["Finding files", "Found files", "Find files"],
    object: (call) => argument(call, "pattern"),
    fact: counted("count", "file"),
  },
  grep: {
    icon: "explore",
    verbs: ["Searching", "Searched", "Search"],
    object: (call) => argument(call, "pattern"),
    fact: counted("count", "match", "matches"),
  },
  list: {
    icon: "list",
    verbs: ["Listing", "Listed", "List"],
    object: (call) => pathOf(call) || "the workspace",
    fact: counted("count", "file"),
  },
  bash: {
    icon: "terminal",
    verbs: ["Running", "Ran", "Run"],
    object: (call) => argument(call, "command"),
    fact: exitCode,
  },
  bash_output: {
    icon: "terminal",
    verbs: ["Checking", "Checked", "Check"],
    object: () => "a command in the background",
    plain: true,
    fact: exitCode,
  },
  interactive: {
    icon: "terminal",
    verbs: ["Using", "Used", "Use"],
    object: (call) => argument(call, "command") || "a program in a terminal",
    plain: true,
    fact: exitCode,
  },
  browser: BROWSER_TEXT,
  bash_stop: {
    icon: "stop",
    verbs: ["Stopping", "Stopped", "Stop"],
    object: () => "a command in the background",
    plain: true,
  },
  task: {
    icon: "agent",
    verbs: (call) => {
      const words = `Sub-agent ${childOf(call).agent}`.trim();
      return [words, words, words];
    },
    object: (call) => childOf(call).description,
    plain: true,
    fact: steps,
    progress: steps,
  },
  todowrite: {
    icon: "todo",
    verbs: ["Updating", "Updated", "Update"],
    object: todoList,
    plain: true,
    fact: todosDone,
  },
  todoread: { icon: "todo", verbs: ["Reading", "Read", "Read"], object: todoList, plain: true },
  question: { icon: "question", verbs: ["Asking", "Asked", "Ask"], object: firstQuestion, plain: true },
  webfetch: {
    icon: "globe",
    verbs: ["Fetching", "Fetched", "Fetch"],
    object: (call) => argument(call, "url").replace(/^https?:\/\//, ""),
    fact: fetched,
    progress: bytes,
  },
  websearch: {
    icon: "globe",
    verbs: ["Searching the web for", "Searched the web for", "Search the web for"],
    object: (call) => argument(call, "query"),
    plain: true,
    fact: results,
  },
  codesearch: {
    icon: "globe",
    verbs: ["Searching code for", "Searched code for", "Search code for"],
    object: (call) => argument(call, "query"),
    plain: true,
    fact: results,
  },
  pull_request: {
    icon: "out",
    verbs: pullRequestVerbs,
    object: (call) => argument(call, "title"),
    plain: true,
    fact: (call) => (numberIn(call.metadata, "number") ? `#${numberIn(call.metadata, "number")}` : ""),
  },
  skill: {
    icon: "book",
    verbs: ["Loading skill", "Loaded skill", "Load skill"],
    object: (call) => argument(call, "name") || textIn(call.metadata, "name"),
    fact: skillFiles,
  },
  memory: {
    icon: "book",
    verbs: memoryVerbs,
    object: (call) => argument(call, "text") || textIn(call.metadata, "before"),
    plain: true,
  },
  lsp: { icon: "code", verbs: lookups, object: lookedUpAt, fact: results },
  batch: {
    icon: "stack",
    verbs: ["Running", "Ran", "Run"],
    object: (call) => {
      const requested = Array.isArray(call.arguments.calls) ? call.arguments.calls.length : 0;
      return `${plural(batchOf(call).length || requested, "call")} together`;
    },
    plain: true,
    fact: batchFailures,
    progress: batchProgress,
  },
  plan_enter: {
    icon: "agent",
    verbs: ["Switching", "Switched", "Switch"],
    object: (call) => `to ${textIn(call.metadata, "agent") || "plan"}`,
    plain: true,
  },
  plan_exit: {
    icon: "agent",
    verbs: ["Switching", "Switched", "Switch"],
    object: (call) => `to ${textIn(call.metadata, "agent") || "build"}`,
    plain: true,
  },
  StructuredOutput: {
    icon: "code",
    verbs: ["Answering", "Answered", "Answer"],
    object: () => "with structured data",
    plain: true,
  },
  invalid: {
    icon: "warning",
    verbs: ["Checking", "Refused", "Refused"],
    object: (call) => `an invalid call of ${argument(call, "tool") || "a tool"}`,
    plain: true,
  },
};

function exitCode(call: ToolCall): string {
  const code = numberIn(call.metadata, "exit_code");
  return code === null || code === 0 ? "" : `exit ${code}`;
}

function edits(call: ToolCall): string {
  const requested = call.arguments.edits;
  return Array.isArray(requested) ? plural(requested.length, "edit") : "";
}

/** Headers of files in the text of a patch, used until the result names the paths. */
const PATCH_HEADER = /^\*\*\* (?:Add|Update|Delete) File: (.+)$/gm;

function patchedPaths(call: ToolCall): string[] {
  const told = patchFilesOf(call.metadata).map((file) => file.path);
  const text = argument(call, "patchText") || argument(call, "patch_text");
  const requested = [...text.matchAll(PATCH_HEADER)].map((match) => shownPath(match[1] ?? ""));
  return [...new Set(told.length > 0 ? told : requested)];
}

const soleItem = (paths: readonly string[]): string =>
  paths.length === 1 ? (paths[0] ?? "") : plural(paths.length, "file");

function steps(call: ToolCall): string {
  const { steps: taken } = childOf(call);
  return taken > 0 ? plural(taken, "step") : "";
}

function todosDone(call: ToolCall): string {
  const todos = Array.isArray(call.arguments.todos) ? call.arguments.todos : [];
  const done = todos.filter((todo) => todo?.status === "completed").length;
  return todos.length > 0 ? `${done} of ${todos.length} done` : "";
}

function firstQuestion(call: ToolCall): string {
  const questions = Array.isArray(call.arguments.questions) ? call.arguments.questions : [];
  if (questions.length > 1) return plural(questions.length, "question");
  const [first] = questions;
  return typeof first?.question === "string" ? first.question : "a question";
}

function bytes(call: ToolCall): string {
  const size = numberIn(call.metadata, "bytes");
  return size ? formatBytes(size) : "";
}

function fetched(call: ToolCall): string {
  const status = numberIn(call.metadata, "status");
  return [status !== null && status >= 400 ? `status ${status}` : "", bytes(call)]
    .filter(Boolean)
    .join(" · ");
}

function skillFiles(call: ToolCall): string {
  const { files } = call.metadata;
  return Array.isArray(files) && files.length > 0 ? plural(files.length, "file") : "";
}

export const OPERATIONS: Readonly<Record<string, string>> = {
  goToDefinition: "definition",
  findReferences: "references",
  hover: "description",
  documentSymbol: "symbols of",
  workspaceSymbol: "symbol",
  goToImplementation: "implementations",
  prepareCallHierarchy: "call hierarchy",
  incomingCalls: "callers",
  outgoingCalls: "callees",
};

function pullRequestVerbs(call: ToolCall): Verbs {
  const updated = call.metadata.is_new === false;
  const done = updated ? "Updated the pull request" : "Opened a pull request:";
  return ["Opening a pull request:", done, "Open a pull request:"];
}

const MEMORY_VERBS: Readonly<Record<string, Verbs>> = {
  replace: ["Changing a note:", "Changed a note:", "Change a note:"],
  delete: ["Deleting a note:", "Deleted a note:", "Delete a note:"],
};

function memoryVerbs(call: ToolCall): Verbs {
  const action = argument(call, "action");
  const verbs = Object.hasOwn(MEMORY_VERBS, action) ? MEMORY_VERBS[action] : undefined;
  return verbs ?? ["Remembering:", "Remembered:", "Remember:"];
}

function lookups(call: ToolCall): Verbs {
  const operation = argument(call, "operation");
  const what = (Object.hasOwn(OPERATIONS, operation) ? OPERATIONS[operation] : undefined) ?? "code";
  return [`Looking up ${what}`, `Looked up ${what}`, `Look up ${what}`];
}

function lookedUpAt(call: ToolCall): string {
  const query = argument(call, "query");
  if (argument(call, "operation") === "workspaceSymbol" && query) return query;
  const line = numberIn(call.arguments, "line");
  const character = numberIn(call.arguments, "character");
  const place = [pathOf(call), line, line === null ? null : character].filter(
    (part) => part !== null && part !== "",
  );
  return argument(call, "operation") === "documentSymbol" ? pathOf(call) : place.join(":");
}

const ENDED_STATES = new Set(["completed", "error", "aborted"]);

function batchProgress(call: ToolCall): string {
  const lines = batchOf(call);
  return lines.length > 0
    ? `${lines.filter((line) => ENDED_STATES.has(line.state)).length} of ${lines.length} done`
    : "";
}

function batchFailures(call: ToolCall): string {
  const failed = batchOf(call).filter((line) => line.state === "error" || line.state === "aborted").length;
  return failed > 0 ? `${failed} failed` : "";
}
