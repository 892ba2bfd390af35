// The fields of an agent, in the order in which a person thinks of them.
import { useState } from "react";
import type { Agent } from "../api/agents";
import type { Rule } from "../api/policyTypes";
import { plural } from "../lib/format";
import { RuleTable } from "../policies/RuleTable";
import { ruleLine } from "../policies/text";
import type { Editing } from "./AgentForm";
import { ColorField } from "./ColorField";
import { FieldLine } from "./FieldLine";
import type { Field } from "./fields";

interface FieldsProps {
  editing: Editing;
  agent: Agent;
  models: readonly string[];
  readOnly: boolean;
}

type One = Pick<FieldsProps, "editing" | "readOnly">;

export function AgentFields({ editing, agent, models, readOnly }: FieldsProps) {
  const common = { editing, readOnly };
  return (
    <>
      <section aria-label="What it is for">
        <h2>What it is for</h2>
        <Text
          {...common}
          field="description"
          label="Description"
          rows={2}
          hint="Other agents read it to decide when to call this one."
        />
        <Choice {...common} field="mode" label="Who works with it" words={MODES} />
        <Text
          {...common}
          field="prompt"
          label="Instructions"
          rows={12}
          code
          hint="Its part of the system prompt."
        />
      </section>
      <section aria-label="Model">
        <h2>Model</h2>
        <div className="field-grid">
          <Choice {...common} field="model" label="Model" words={modelWords(models)} />
          <Choice {...common} field="variant" label="Effort to think" words={VARIANTS} />
          <Amount {...common} field="temperature" label="Temperature" least={0} most={2} hint="0 to 2." />
          <Amount {...common} field="top_p" label="Top p" least={0} most={1} hint="Above 0, up to 1." />
          <Amount
            {...common}
            field="steps"
            label="Steps"
            least={1}
            most={1000}
            whole
            hint="Model calls in one turn, up to 1,000."
          />
        </div>
        <OptionsField {...common} />
      </section>
      <Permissions {...common} agent={agent} />
      <section aria-label="In the interface">
        <h2>In the interface</h2>
        <ColorField {...common} />
        <Switch
          {...common}
          field="hidden"
          label="Hidden"
          hint="Not offered to people; others may call it by name."
        />
        <Switch {...common} field="disable" label="Switched off" hint="Not there at all." />
      </section>
    </>
  );
}

const MODES = {
  primary: "People choose it",
  subagent: "Other agents call it, and people with @",
  all: "Both",
} as const;

const VARIANTS = {
  "": "The model's own",
  none: "None",
  minimal: "Minimal",
  low: "Low",
  medium: "Medium",
  high: "High",
  xhigh: "Extra high",
  max: "The most there is",
} as const;

const modelWords = (models: readonly string[]): Record<string, string> => ({
  "": "The session's",
  ...Object.fromEntries(models.map((model) => [model, model])),
});

interface TextProps extends One {
  field: "description" | "prompt";
  label: string;
  rows: number;
  hint: string;
  code?: boolean;
}

function Text({ field, label, rows, hint, code = false, editing, readOnly }: TextProps) {
  const { value } = editing.state(field);
  return (
    <FieldLine field={field} label={label} hint={hint} editing={editing} readOnly={readOnly} wide>
      {({ id, describedBy }) => (
        <textarea
          id={id}
          rows={rows}
          className={code ? "code-like" : undefined}
          aria-describedby={describedBy}
          value={typeof value === "string" ? value : ""}
          readOnly={readOnly}
          onChange={(event) => editing.change(field, event.target.value)}
        />
      )}
    </FieldLine>
  );
}

interface ChoiceProps extends One {
  field: Field;
  label: string;
  words: Readonly<Record<string, string>>;
}

function Choice({ field, label, words, editing, readOnly }: ChoiceProps) {
  const { value } = editing.state(field);
  const chosen = typeof value === "string" ? value : "";
  const known = Object.hasOwn(words, chosen) ? words : { ...words, [chosen]: chosen || "As above" };
  return (
    <FieldLine field={field} label={label} editing={editing} readOnly={readOnly}>
      {({ id, describedBy }) => (
        <select
          id={id}
          aria-describedby={describedBy}
          value={chosen}
          disabled={readOnly}
          onChange={(event) => editing.change(field, event.target.value)}
        >
          {Object.entries(known).map(([name, text]) => (
            <option key={name} value={name}>
              {text}
            </option>
          ))}
        </select>
      )}
    </FieldLine>
  );
}

interface AmountProps extends One {
  field: "temperature" | "top_p" | "steps";
  label: string;
  least: number;
  most: number;
  hint: string;
  whole?: boolean;
}

function Amount({ field, label, least, most, hint, whole = false, editing, readOnly }: AmountProps) {
  const { value } = editing.state(field);
  return (
    <FieldLine field={field} label={label} hint={hint} editing={editing} readOnly={readOnly}>
      {({ id, describedBy }) => (
        <input
          id={id}
          type="number"
          min={least}
          max={most}
          step={whole ? 1 : "any"}
          placeholder="The model's own"
          aria-describedby={describedBy}
          value={typeof value === "number" ? value : ""}
          readOnly={readOnly}
          onChange={(event) =>
            editing.change(field, event.target.value === "" ? null : event.target.valueAsNumber)
          }
        />
      )}
    </FieldLine>
  );
}

function Switch({
  field,
  label,
  hint,
  editing,
  readOnly,
}: One & { field: Field; label: string; hint: string }) {
  const { value } = editing.state(field);
  return (
    <FieldLine field={field} label={label} hint={hint} editing={editing} readOnly={readOnly}>
      {({ id, describedBy }) => (
        <input
          id={id}
          type="checkbox"
          aria-describedby={describedBy}
          checked={value === true}
          disabled={readOnly}
          onChange={(event) => editing.change(field, event.target.checked)}
        />
      )}
    </FieldLine>
  );
}

const NO_OBJECT = "This is no JSON object yet. Correct it before you save.";

/** JSON as it is typed; it counts once it can be read, and nothing is saved before. */
function OptionsField({ editing, readOnly }: One) {
  const { value } = editing.state("options");
  const saved = value && Object.keys(value).length > 0 ? JSON.stringify(value, null, 2) : "";
  const [typed, setTyped] = useState<string | null>(null);
  const text = typed ?? saved;
  const isBroken = readOptions(text) === null;
  const read = (next: string) => {
    setTyped(next);
    const options = readOptions(next);
    if (options) editing.change("options", options);
  };
  return (
    <FieldLine
      field="options"
      label="Options for the provider"
      hint="As JSON, such as { &quot;seed&quot;: 7 }."
      editing={editing}
      readOnly={readOnly}
      wide
    >
      {({ id, describedBy }) => (
        <>
          <textarea
            ref={(area) => area?.setCustomValidity(isBroken ? NO_OBJECT : "")}
            id={id}
            rows={3}
            className="code-like"
            spellCheck={false}
            aria-describedby={describedBy}
            aria-invalid={isBroken}
            value={text}
            readOnly={readOnly}
            onChange={(event) => read(event.target.value)}
            onBlur={() => readOptions(text) && setTyped(null)}
          />
          {isBroken && (
            <p className="field-bad" role="status">
              {NO_OBJECT}
            </p>
          )}
        </>
      )}
    </FieldLine>
  );
}

/** Null for what is no object; nothing at all is an empty one. */
export function readOptions(text: string): Record<string, unknown> | null {
  if (text.trim() === "") return {};
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null;
  } catch {
    return null;
  }
}

function Permissions({ editing, readOnly, agent }: One & { agent: Agent }) {
  const { value } = editing.state("permission");
  const own = Array.isArray(value) ? (value as Rule[]) : [];
  return (
    <>
      <RuleTable
        list="rules"
        title="Permissions"
        hint="On top of what stands above. Of the rules that match a call, the last one decides; limits of policies stay."
        rules={own}
        onChange={(rules) => editing.change("permission", rules.length > 0 ? rules : null)}
        readOnly={readOnly}
      />
      <Known title="All rules that people wrote for this agent" rules={agent.permission} />
      <Known title="Rules of the repository, which only tighten" rules={agent.file_permission} />
    </>
  );
}

function Known({ title, rules }: { title: string; rules: readonly Rule[] }) {
  if (rules.length === 0) return null;
  return (
    <details className="preset-rules">
      <summary>
        {title} ({plural(rules.length, "rule")})
      </summary>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: arrow keys scroll it only when it can take the focus */}
      <pre tabIndex={0}>{rules.map((rule) => ruleLine(rule, false)).join("\n")}</pre>
    </details>
  );
}
