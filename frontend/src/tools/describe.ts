// Describes tool calls: "Edited src/app.py", "Running pytest -q".
import type { ToolCall } from "../api/types";
import { plural } from "../lib/format";
import type { IconName } from "../ui/Icon";
import { isActive, pathOf, waitsForPerson } from "./facts";
import { TOOL_TEXTS, type ToolText } from "./toolTexts";

export interface CallText {
  icon: IconName;
  verb: string;
  object: string;
  /** The object is a path, a pattern or a command. */
  codeLike: boolean;
  /** Short result after the object: counts, exit code. */
  fact: string;
}

const knownText = (tool: string): ToolText | undefined =>
  Object.hasOwn(TOOL_TEXTS, tool) ? TOOL_TEXTS[tool] : undefined;

const unknownText = (tool: string): ToolText => ({
  icon: "tool",
  verbs: ["Using", "Used", "Use"],
  object: () => tool,
});

export function describeCall(call: ToolCall): CallText {
  const known = knownText(call.tool);
  const look = known ?? unknownText(call.tool);
  if (!known && call.title) {
    return { icon: look.icon, verb: call.title, object: "", codeLike: false, fact: "" };
  }
  const [doing, done, todo] = typeof look.verbs === "function" ? look.verbs(call) : look.verbs;
  return {
    icon: look.icon,
    verb: call.state === "completed" ? done : isActive(call) ? doing : todo,
    object: look.object(call).split("\n")[0] ?? "",
    codeLike: !(typeof look.plain === "function" ? look.plain(call) : look.plain),
    fact:
      (call.state === "completed"
        ? look.fact?.(call)
        : !call.ended_at && !waitsForPerson(call)
          ? look.progress?.(call)
          : "") ?? "",
  };
}

/** Describes a call of which only tool and title are known. */
export function describeTool(tool: string, title: string): Pick<CallText, "icon"> & { label: string } {
  return { icon: knownText(tool)?.icon ?? "tool", label: title || tool };
}

/** Describes reads and searches: "Explored 7 files, 2 searches". */
export function describeExploring(calls: readonly ToolCall[]): string {
  const of = (...tools: string[]) => calls.filter((call) => tools.includes(call.tool));
  const files = new Set(of("read").map(pathOf)).size;
  const searches = of("grep", "glob").length;
  const lists = of("list").length;
  const lookups = of("lsp").length;
  const verb = calls.some((call) => !call.ended_at) ? "Exploring" : "Explored";
  const pieces = [
    files > 0 ? plural(files, "file") : "",
    searches > 0 ? plural(searches, "search", "searches") : "",
    lists > 0 ? plural(lists, "folder") : "",
    lookups > 0 ? plural(lookups, "lookup") : "",
  ].filter(Boolean);
  return `${verb} ${pieces.join(", ")}`;
}
