// The draft of an agent: overrides of one place on top of inherited values. Pure functions.
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

/** Unsaved overrides: a value, or null to remove the override. */
export type AgentChanges = { [Name in Field]?: AgentDocument[Name] | null };

export const NEW_AGENT: Agent = {
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
  /** The value is set at this place. */
  isOwn: boolean;
  isChanged: boolean;
  /** Where the inherited value comes from. */
  from: AgentSource | null;
}

/** Compares two JSON values. */
const sameJson = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

/**
 * Returns a field as the form shows it. The inherited value is known only while nothing is set here. After an
 * override was removed it is known only after saving, so the value is null until then.
 */
export function fieldState(
  agent: Agent,
  row: AgentRow | null,
  changes: AgentChanges,
  field: Field,
): FieldState {
  const saved = (row?.document as AgentDocument | undefined)?.[field] ?? null;
  const isChanged = field in changes;
  const own = isChanged ? (changes[field] ?? null) : saved;
  const from = sourceOf(agent, row, field);
  if (own !== null) return { value: own, isOwn: true, isChanged, from };
  const value = saved === null && field !== "permission" ? effectiveValue(agent, field) : null;
  return { value, isOwn: false, isChanged, from };
}

/** Returns the closest place above this one that sets the field. */
function sourceOf(agent: Agent, row: AgentRow | null, field: Field): AgentSource | null {
  const others = agent.sources.filter((source) => !row || source.id !== row.id);
  const saying = others.filter((source) => source.origin === "built-in" || source.fields.includes(field));
  return saying[saying.length - 1] ?? null;
}

const ORIGIN_LABELS: Record<AgentSource["origin"], string> = {
  "built-in": "Built in",
  site: "From the site",
  team: "From the team",
  project: "From the project",
  file: "From the repository",
  remote: "From the defaults of an address",
  person: "From the personal configuration",
  session: "From this session",
};

export const sourceText = (source: AgentSource | null): string => {
  if (!source) return "By default";
  return source.path ? `From ${source.path}` : ORIGIN_LABELS[source.origin];
};

/** Names the source of an inherited value. Empty for built-in values, as most values are. */
export const inheritedFrom = (source: AgentSource | null): string =>
  source && source.origin !== "built-in" ? `${sourceText(source)}.` : "";

/** Describes the origin of an agent: "Built in, changed by the team". */
export function originText(agent: Pick<Agent, "sources">): string {
  const [first, ...rest] = agent.sources;
  if (!first) return "";
  const changed = [...new Set(rest.map(({ origin }) => CHANGED_BY[origin]))];
  return [sourceText(first), changed.length > 0 ? `changed by ${changed.join(" and ")}` : ""]
    .filter(Boolean)
    .join(", ");
}

const CHANGED_BY: Record<AgentSource["origin"], string> = {
  "built-in": "itself",
  site: "the site",
  team: "the team",
  project: "the project",
  file: "the repository",
  remote: "the defaults of an address",
  person: "the personal configuration",
  session: "this session",
};

/** Adds a change to the draft, or removes it if the value equals the saved one. */
export function withChange(
  row: AgentRow | null,
  changes: AgentChanges,
  field: Field,
  value: unknown,
): AgentChanges {
  const saved = (row?.document as AgentDocument | undefined)?.[field] ?? null;
  const { [field]: _before, ...others } = changes;
  return sameJson(saved, value ?? null) ? others : { ...others, [field]: value };
}

/** Says what is missing before the draft can be saved; empty if nothing is. */
export function missing(name: string, changes: AgentChanges): string {
  if (!name.trim()) return "An agent needs a name.";
  const rules: readonly Rule[] = changes.permission ?? [];
  const at = rules.findIndex((rule) => !rule.permission.trim() || !rule.pattern);
  return at < 0 ? "" : `Rule ${at + 1} needs a permission and a pattern.`;
}

export const rowIdAt = (agent: Agent | undefined, origin: AgentSource["origin"]): string =>
  agent?.sources.find((source) => source.origin === origin)?.id ?? "";

export interface AgentGroup {
  title: string;
  hint: string;
  agents: Agent[];
}

/** Groups agents by who can use them, in display order. */
export function groupsOf(agents: readonly Agent[]): AgentGroup[] {
  const active = agents.filter((agent) => !agent.disabled);
  const groups = [
    {
      title: "Main agents",
      hint: "People choose these in the prompt box or for a new session.",
      agents: active.filter((agent) => agent.selectable),
    },
    {
      title: "Sub-agents",
      hint: "Other agents call these. People can call them with @ and their name.",
      agents: active.filter((agent) => !agent.selectable && agent.callable && !agent.hidden),
    },
    {
      title: "Background agents",
      hint: "They write titles and summaries, and compact long sessions.",
      agents: active.filter((agent) => !agent.selectable && (agent.hidden || !agent.callable)),
    },
    { title: "Disabled", hint: "", agents: agents.filter((agent) => agent.disabled) },
  ];
  return groups.filter((group) => group.agents.length > 0);
}
