import { useId } from "react";
import type { Approvers, Granter, Incomplete, Options, Policy } from "../api/policyTypes";
import type { Scope } from "../api/types";
import { APPROVER_LABELS } from "../permissions/approvers";
import { SCOPE_LABELS } from "../permissions/requestLabels";
import { OptionList } from "../ui/OptionList";
import type { PlaceKind } from "./document";
import type { PolicyEditing } from "./draft";
import { LoosenableList } from "./LoosenableList";
import { McpOptions } from "./McpOptions";
import type { Place } from "./places";
import { SandboxOptions } from "./SandboxOptions";
import "./tabs.css";

interface OptionsFormProps {
  policy: Policy;
  editing: PolicyEditing;
  kind: PlaceKind;
  /** The places from the site down to this one. */
  places: readonly Place[];
}

const GRANTER_LABELS: Record<Granter, string> = {
  member: "Everyone who can answer",
  admin: "Admins only",
  nobody: "Nobody",
};
const DEPTH_LABELS: Record<string, string> = {
  0: "No sub-agents",
  1: "One level of sub-agents",
  2: "Two levels of sub-agents",
  3: "Three levels of sub-agents",
  4: "Four levels of sub-agents",
  5: "Five levels of sub-agents",
};
const LINK_LABELS: Record<string, string> = {
  true: "Allowed",
  false: "Not allowed",
};
const INCOMPLETE_LABELS: Record<Incomplete, string> = {
  ask: "Always ask",
  allow: "Run if the rules allow every command",
};
const SCOPES: readonly Scope[] = ["session", "project", "team"];

/**
 * Options of a policy: who can answer requests, how long they wait, who can answer “always”, and limits of
 * workspaces. The strictest value of site, team and project applies.
 */
export function OptionsForm({ policy, editing, kind, places }: OptionsFormProps) {
  const { options } = editing.document;
  const set = (change: Partial<Options>) => editing.change({ options: { ...options, ...change } });
  return (
    <fieldset className="options" disabled={!policy.can_edit}>
      <legend className="sr-only">Options</legend>
      <p className="muted">The strictest option of the site, the team and the project applies.</p>
      <OptionSelect
        label="Who can answer permission requests"
        value={options.approvers}
        labels={APPROVER_LABELS}
        onChange={(approvers: Approvers | null) => set({ approvers })}
      />
      <OptionSelect
        label="Commands that cannot be read completely"
        value={options.incomplete_commands ?? null}
        labels={INCOMPLETE_LABELS}
        onChange={(incomplete_commands: Incomplete | null) => set({ incomplete_commands })}
      />
      <WaitHours hours={options.wait_hours} onChange={(wait_hours) => set({ wait_hours })} />
      <OptionSelect
        label="Public share links"
        value={options.public_share_links === null ? null : String(options.public_share_links)}
        labels={LINK_LABELS}
        onChange={(allowed: string | null) =>
          set({ public_share_links: allowed === null ? null : allowed === "true" })
        }
      />
      <OptionSelect
        label="Levels of sub-agents"
        value={options.subagent_depth === null ? null : String(options.subagent_depth)}
        labels={DEPTH_LABELS}
        onChange={(depth: string | null) => set({ subagent_depth: depth === null ? null : Number(depth) })}
      />
      {SCOPES.map((scope) => (
        <OptionSelect
          key={scope}
          label={`Who can answer “always” ${SCOPE_LABELS[scope]}`}
          value={options.always[scope]}
          labels={GRANTER_LABELS}
          onChange={(granter: Granter | null) => set({ always: { ...options.always, [scope]: granter } })}
        />
      ))}
      {kind === "team" && (
        <LoosenableList
          items={options.loosenable}
          onChange={(loosenable) => set({ loosenable })}
          readOnly={!policy.can_edit}
        />
      )}
      <McpOptions value={options.mcp} onChange={(mcp) => set({ mcp })} />
      <SandboxOptions
        sandbox={options.sandbox}
        kind={kind}
        above={places.slice(0, -1)}
        onChange={(sandbox) => set({ sandbox })}
      />
    </fieldset>
  );
}

interface OptionSelectProps<Value extends string> {
  label: string;
  value: Value | null;
  labels: Record<Value, string>;
  onChange: (value: Value | null) => void;
}

function OptionSelect<Value extends string>({ label, value, labels, onChange }: OptionSelectProps<Value>) {
  return (
    <label className="option-line ruled">
      <span>{label}</span>
      <select
        value={value ?? ""}
        onChange={(event) => onChange((event.target.value || null) as Value | null)}
      >
        <option value="">Not set</option>
        <OptionList of={Object.entries(labels)} />
      </select>
    </label>
  );
}

const MAX_HOURS = 24 * 30;

function WaitHours({ hours, onChange }: { hours: number | null; onChange: (hours: number | null) => void }) {
  const id = useId();
  return (
    <div className="option-line ruled">
      <label htmlFor={id}>Hours until an unanswered request is denied</label>
      <input
        id={id}
        type="number"
        min={0.1}
        max={MAX_HOURS}
        step="any"
        placeholder="Not set"
        value={hours ?? ""}
        onChange={(event) => onChange(hoursOf(event.target.value))}
      />
    </div>
  );
}

/** Parses a number of hours; null if it is empty or out of range. */
function hoursOf(text: string): number | null {
  const hours = Number(text);
  return text.trim() !== "" && hours > 0 && hours <= MAX_HOURS ? hours : null;
}
