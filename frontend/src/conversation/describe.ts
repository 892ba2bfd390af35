// A tool call in words: "Edited src/app.py", "Running pytest -q".
import type { ToolCall } from "../api/types";
import { plural } from "../lib/format";
import type { IconName } from "../ui/Icon";

export interface CallWords {
  icon: IconName;
  verb: string;
  object: string;
  /** The object is a path, a pattern or a command. */
  codeLike: boolean;
  /** A small fact behind the object: counts, exit code. */
  fact: string;
}

interface Look {
  icon: IconName;
  /** While it runs, when it is done, and what it would do (waiting, failed, stopped). */
  verbs: readonly [doing: string, done: string, todo: string];
  object: (args: Record<string, unknown>) => string;
}

const text = (value: unknown): string => (typeof value === "string" ? value : "");
const shortPath = (value: unknown): string => text(value).replace(/^\/workspace\//, "") || text(value);
const filePath = (args: Record<string, unknown>) => shortPath(args.filePath ?? args.path);

const LOOKS: Readonly<Record<string, Look>> = {
  read: { icon: "file", verbs: ["Reading", "Read", "Read"], object: filePath },
  write: { icon: "edit", verbs: ["Writing", "Wrote", "Write"], object: filePath },
  edit: { icon: "edit", verbs: ["Editing", "Edited", "Edit"], object: filePath },
  glob: {
    icon: "explore",
    verbs: ["Finding files", "Found files", "Find files"],
    object: (args) => text(args.pattern),
  },
  grep: { icon: "explore", verbs: ["Searching", "Searched", "Search"], object: (args) => text(args.pattern) },
  list: {
    icon: "list",
    verbs: ["Listing", "Listed", "List"],
    object: (args) => shortPath(args.path) || "the workspace",
  },
  bash: { icon: "terminal", verbs: ["Running", "Ran", "Run"], object: (args) => text(args.command) },
  todowrite: { icon: "list", verbs: ["Updating", "Updated", "Update"], object: () => "the todo list" },
  todoread: { icon: "list", verbs: ["Reading", "Read", "Read"], object: () => "the todo list" },
  question: { icon: "question", verbs: ["Asking", "Asked", "Ask"], object: firstQuestion },
  invalid: {
    icon: "warning",
    verbs: ["Checking", "Refused", "Refused"],
    object: (args) => `an unusable call of ${text(args.tool) || "a tool"}`,
  },
};

const PLAIN = new Set(["todowrite", "todoread", "question", "invalid"]);

function firstQuestion(args: Record<string, unknown>): string {
  const questions = Array.isArray(args.questions) ? args.questions : [];
  return questions.length > 1
    ? plural(questions.length, "question")
    : text(questions[0]?.question) || "a question";
}

const unknownLook = (tool: string): Look => ({
  icon: "tool",
  verbs: ["Using", "Used", "Use"],
  object: () => tool,
});

export function describeCall(call: ToolCall): CallWords {
  const known = Object.hasOwn(LOOKS, call.tool) ? LOOKS[call.tool] : undefined;
  const look = known ?? unknownLook(call.tool);
  const [doing, done, todo] = look.verbs;
  const verb =
    call.state === "completed" ? done : call.state === "running" || call.state === "pending" ? doing : todo;
  const object = look.object(call.arguments ?? {}) || shortPath(call.metadata.path);
  if (!known && call.title)
    return { icon: look.icon, verb: call.title, object: "", codeLike: false, fact: "" };
  return {
    icon: look.icon,
    verb,
    object: object.split("\n")[0] ?? "",
    codeLike: !PLAIN.has(call.tool),
    fact: factOf(call),
  };
}

function factOf(call: ToolCall): string {
  if (call.state !== "completed") return "";
  const { exit_code: exitCode, count, lines } = call.metadata;
  if (call.tool === "bash" && typeof exitCode === "number" && exitCode !== 0) return `exit ${exitCode}`;
  if (typeof count === "number")
    return plural(count, call.tool === "grep" ? "match" : "file", call.tool === "grep" ? "matches" : "files");
  if (typeof lines === "number") return plural(lines, "line");
  return "";
}

/** "Explored 7 files, 2 searches". */
export function describeExploring(calls: readonly ToolCall[]): string {
  const files = new Set(calls.filter((call) => call.tool === "read").map((call) => filePath(call.arguments)));
  const searches = calls.filter((call) => call.tool === "grep" || call.tool === "glob").length;
  const lists = calls.filter((call) => call.tool === "list").length;
  const verb = calls.some((call) => !call.ended_at) ? "Exploring" : "Explored";
  const pieces = [
    files.size > 0 ? plural(files.size, "file") : "",
    searches > 0 ? plural(searches, "search", "searches") : "",
    lists > 0 ? plural(lists, "folder") : "",
  ].filter(Boolean);
  return `${verb} ${pieces.join(", ")}`;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: terminal escape sequences are control characters
const ESCAPES = /\u001b(?:\[[0-9;?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)|[@-Z\\-_])/g;

/** Terminal output as plain text: colours dropped, a line that was written over shows its last state. */
export function plainOutput(output: string): string {
  return output
    .replace(ESCAPES, "")
    .replace(/\r\n/g, "\n")
    .split("\n")
    .map((line) => line.slice(line.lastIndexOf("\r") + 1))
    .join("\n");
}
