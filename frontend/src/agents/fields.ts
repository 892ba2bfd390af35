// An agent as it is edited: what this place says, on top of what the places above say. Pure.
import type { Agent, AgentDocument, AgentRow, AgentSource } from "../api/agents";
import type { Rule } from "../api/policyTypes";

export type Field = keyof AgentDocument;

export const FIELDS = [
  "description",
  "mode",
  "prompt",
  "model",
  "variant",
  "temperature",
  "top_p",
  "steps",
  "color",
  "hidden",
  "disable",
  "options",
  "permission",
] as const satisfies readonly Field[];

/** What is said here and not saved yet: a value, or null for "taken back". */
export type Changes = { [Name in Field]?: AgentDocument[Name] | null };

export const FRESH: Agent = {
  name: "",
  description: "",
  mode: "all",
  model: "",
  variant: "",
  prompt: "",
  temperature: null,
  top_p: null,
  steps: 100,
  color: "",
  hidden: false,
  disabled: false,
  options: {},
  permission: [],
  file_permission: [],
  built_in: false,
  selectable: true,
  callable: true,
  sources: [],
  problems: [],
};

const effectiveValue = (agent: Agent, field: Field): unknown =>
  field === "disable" ? agent.disabled : agent[field];

export interface FieldState {
  value: unknown;
  /** This place says it. */
  isOwn: boolean;
  isChanged: boolean;
  /** Whose word it is otherwise. */
  from: AgentSource | null;
}

/** Whether the words of both are the same, whatever the order of their keys. */
const same = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

/**
 * A field as the form shows it. What is inherited is known as long as nothing is said here; once that is taken back,
 * it is known only after saving, and shows as empty until then.
 */
export function fieldState(agent: Agent, row: AgentRow | null, changes: Changes, field: Field): FieldState {
  const saved = (row?.document as AgentDocument | undefined)?.[field] ?? null;
  const isChanged = field in changes;
  const own = isChanged ? (changes[field] ?? null) : saved;
  const from = sourceOf(agent, row, field);
  if (own !== null) return { value: own, isOwn: true, isChanged, from };
  const value = saved === null && field !== "permission" ? effectiveValue(agent, field) : null;
  return { value, isOwn: false, isChanged, from };
}

/** The last place above this one that says something about the field. */
function sourceOf(agent: Agent, row: AgentRow | null, field: Field): AgentSource | null {
  const others = agent.sources.filter((source) => !row || source.id !== row.id);
  const saying = others.filter((source) => source.origin === "built-in" || source.fields.includes(field));
  return saying[saying.length - 1] ?? null;
}

const ORIGIN_WORDS: Record<AgentSource["origin"], string> = {
  "built-in": "Built in",
  site: "From the site",
  team: "From the team",
  project: "From the project",
  file: "From the repository",
};

export const sourceWords = (source: AgentSource | null): string => {
  if (!source) return "By default";
  return source.path ? `From ${source.path}` : ORIGIN_WORDS[source.origin];
};

/** Whose word a field is, where that is worth saying: most are as they are built in. */
export const elsewhere = (source: AgentSource | null): string =>
  source && source.origin !== "built-in" ? `${sourceWords(source)}.` : "";

/** "Built in, changed by the team": where an agent comes from, in short. */
export function originWords(agent: Pick<Agent, "sources">): string {
  const [first, ...rest] = agent.sources;
  if (!first) return "";
  const changed = [...new Set(rest.map(({ origin }) => CHANGERS[origin]))];
  return [sourceWords(first), changed.length > 0 ? `changed by ${changed.join(" and ")}` : ""]
    .filter(Boolean)
    .join(", ");
}

const CHANGERS: Record<AgentSource["origin"], string> = {
  "built-in": "itself",
  site: "the site",
  team: "the team",
  project: "the project",
  file: "the repository",
};

/** The changes with one more; one that says what is saved anyway is no change. */
export function withChange(row: AgentRow | null, changes: Changes, field: Field, value: unknown): Changes {
  const saved = (row?.document as AgentDocument | undefined)?.[field] ?? null;
  const { [field]: _before, ...others } = changes;
  return same(saved, value ?? null) ? others : { ...others, [field]: value };
}

/** What is missing before it can be saved; empty when nothing is. */
export function missing(name: string, changes: Changes): string {
  if (!name.trim()) return "An agent needs a name.";
  const rules: readonly Rule[] = changes.permission ?? [];
  const at = rules.findIndex((rule) => !rule.permission.trim() || !rule.pattern);
  return at < 0 ? "" : `Rule ${at + 1} needs a permission and a pattern.`;
}

export const placesOwnRow = (agent: Agent | undefined, origin: AgentSource["origin"]): string =>
  agent?.sources.find((source) => source.origin === origin)?.id ?? "";

export interface Group {
  title: string;
  hint: string;
  agents: Agent[];
}

/** In the order in which a person needs them. */
export function groupsOf(agents: readonly Agent[]): Group[] {
  const active = agents.filter((agent) => !agent.disabled);
  const groups = [
    {
      title: "People choose these",
      hint: "Switched to in the prompt box, or named for a new session.",
      agents: active.filter((agent) => agent.selectable),
    },
    {
      title: "Sub-agents",
      hint: "Called by other agents, and by people with @ and their name.",
      agents: active.filter((agent) => !agent.selectable && agent.callable && !agent.hidden),
    },
    {
      title: "In the background",
      hint: "Work for the site: titles, summaries, making room in long sessions.",
      agents: active.filter((agent) => !agent.selectable && (agent.hidden || !agent.callable)),
    },
    { title: "Switched off", hint: "", agents: agents.filter((agent) => agent.disabled) },
  ];
  return groups.filter((group) => group.agents.length > 0);
}
