// Groups the content of a context for display. Pure functions.
import type { ContextItem } from "../api/context";
import { plural } from "../lib/format";

export interface ContextGroup {
  label: string;
  tokens: number;
  /** The members that are listed when the group is opened. */
  items: { label: string; tokens: number }[];
}

const GROUPS: readonly { label: string; kinds: readonly ContextItem["kind"][] }[] = [
  { label: "System prompt", kinds: ["agent", "environment", "output"] },
  { label: "Instructions", kinds: ["instructions"] },
  { label: "List of skills", kinds: ["skills"] },
  { label: "Memory of the project", kinds: ["memory"] },
  { label: "Tools", kinds: ["tool"] },
  { label: "Summary of earlier messages", kinds: ["summary"] },
  { label: "Prompts", kinds: ["prompts"] },
  { label: "Answers", kinds: ["answers"] },
  { label: "Tool calls", kinds: ["calls"] },
  { label: "Tool results", kinds: ["results"] },
  { label: "Files", kinds: ["file"] },
];

/** Returns the groups that take room, in the order in which a request has them. */
export function groupItems(items: readonly ContextItem[]): ContextGroup[] {
  return GROUPS.map(({ label, kinds }) => {
    const members = items.filter((item) => kinds.includes(item.kind));
    return {
      label,
      tokens: members.reduce((sum, item) => sum + item.tokens, 0),
      items: members.map((item) => ({ label: itemLabel(item), tokens: item.tokens })),
    };
  }).filter((group) => group.tokens > 0);
}

function itemLabel(item: ContextItem): string {
  switch (item.kind) {
    case "agent":
      return `Prompt of the agent ${item.name}`;
    case "environment":
      return "Environment: project, network, set-up, date";
    case "output":
      return "Instructions for structured output";
    case "skills":
      return item.names.join(", ");
    case "memory":
      return plural(item.names.length, "note");
    case "results":
      return `${item.name}, ${plural(item.count, "call")}`;
    case "prompts":
      return plural(item.count, "prompt");
    case "answers":
      return plural(item.count, "answer");
    case "calls":
      return plural(item.count, "call");
    case "summary":
      return "What models read in place of the older messages";
    default:
      return item.name;
  }
}
