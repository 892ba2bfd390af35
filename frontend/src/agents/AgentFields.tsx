// The form fields of an agent.

import { useState } from "react";
import type { Agent } from "../api/agents";
import type { Rule } from "../api/policyTypes";
import { plural } from "../lib/format";
import { RuleSummary } from "../policies/RuleSummary";
import { RuleTable } from "../policies/RuleTable";
import { OptionList } from "../ui/OptionList";
import { ColorField } from "./ColorField";
import type { AgentEditing } from "./editing";
import { EFFORT_LABELS } from "./efforts";
import { FieldLine } from "./FieldLine";
import type { Field } from "./fields";
import "./agents.css";

interface FieldsProps {
  editing: AgentEditing;
  agent: Agent;
  models: readonly string[];
  readOnly: boolean;
}

type FieldContext = Pick<FieldsProps, "editing" | "readOnly">;

export function AgentFields({ editing, agent, models, readOnly }: FieldsProps) {
  const common = { editing, readOnly };
  return (
    <>
      <section aria-label="Purpose">
        <h2>Purpose</h2>
        <TextAreaField
          {...common}
          field="description"
          label="Description"
          rows={2}
          hint="Other agents read this to decide when to call this agent."
        />
        <SelectField {...common} field="mode" label="Who can use it" options={MODES} />
        <TextAreaField
          {...common}
          field="prompt"
          label="Instructions"
          rows={12}
          code
          hint="Added to the system prompt."
        />
      </section>
      <section aria-label="Model">
        <h2>Model</h2>
        <div className="field-grid">
          <SelectField {...common} field="model" label="Model" options={modelLabels(models)} />
          <SelectField {...common} field="variant" label="Reasoning effort" options={VARIANTS} />
          <NumberField {...common} field="temperature" label="Temperature" min={0} max={2} hint="0 to 2." />
          <NumberField {...common} field="top_p" label="Top p" min={0} max={1} hint="Above 0, up to 1." />
          <NumberField
            {...common}
            field="steps"
            label="Maximum steps"
            min={1}
            max={1000}
            isInteger
            hint="Model calls in one turn, up to 1,000."
          />
        </div>
        <OptionsField {...common} />
      </section>
      <Permissions {...common} agent={agent} />
      <section aria-label="Display">
        <h2>Display</h2>
        <ColorField {...common} />
        <CheckboxField
          {...common}
          field="hidden"
          label="Hidden"
          hint="Not listed in menus. Agents and people can still call it by name."
        />
        <CheckboxField {...common} field="disable" label="Disabled" hint="Nobody can use it." />
      </section>
    </>
  );
}

const MODES = {
  primary: "People, as the main agent",
  subagent: "Other agents, and people with @",
  all: "Both",
} as const;

const VARIANTS = { "": "Model default", ...EFFORT_LABELS };

const modelLabels = (models: readonly string[]): Record<string, string> => ({
  "": "Model of the session",
  ...Object.fromEntries(models.map((model) => [model, model])),
});

interface TextAreaFieldProps extends FieldContext {
  field: "description" | "prompt";
  label: string;
  rows: number;
  hint: string;
  code?: boolean;
}

function TextAreaField({ field, label, rows, hint, code = false, editing, readOnly }: TextAreaFieldProps) {
  const { value } = editing.state(field);
  return (
    <FieldLine field={field} label={label} hint={hint} editing={editing} readOnly={readOnly} wide>
      {({ id, describedBy }) => (
        <textarea
          id={id}
          rows={rows}
          className={code ? "mono" : undefined}
          aria-describedby={describedBy}
          value={typeof value === "string" ? value : ""}
          readOnly={readOnly}
          onChange={(event) => editing.change(field, event.target.value)}
        />
      )}
    </FieldLine>
  );
}

interface SelectFieldProps extends FieldContext {
  field: Field;
  label: string;
  options: Readonly<Record<string, string>>;
}

function SelectField({ field, label, options, editing, readOnly }: SelectFieldProps) {
  const { value } = editing.state(field);
  const chosen = typeof value === "string" ? value : "";
  const known = Object.hasOwn(options, chosen) ? options : { ...options, [chosen]: chosen || "Inherited" };
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
          <OptionList of={Object.entries(known)} />
        </select>
      )}
    </FieldLine>
  );
}

interface NumberFieldProps extends FieldContext {
  field: "temperature" | "top_p" | "steps";
  label: string;
  min: number;
  max: number;
  hint: string;
  isInteger?: boolean;
}

function NumberField({
  field,
  label,
  min,
  max,
  hint,
  isInteger = false,
  editing,
  readOnly,
}: NumberFieldProps) {
  const { value } = editing.state(field);
  return (
    <FieldLine field={field} label={label} hint={hint} editing={editing} readOnly={readOnly}>
      {({ id, describedBy }) => (
        <input
          id={id}
          type="number"
          min={min}
          max={max}
          step={isInteger ? 1 : "any"}
          placeholder="Model default"
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

function CheckboxField({
  field,
  label,
  hint,
  editing,
  readOnly,
}: FieldContext & { field: Field; label: string; hint: string }) {
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

const NOT_AN_OBJECT = "This is not a JSON object. Correct it before you save.";

/** A JSON text field. The draft changes only while the text is a JSON object; anything else blocks saving. */
function OptionsField({ editing, readOnly }: FieldContext) {
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
      label="Provider options"
      hint="JSON, such as { &quot;seed&quot;: 7 }."
      editing={editing}
      readOnly={readOnly}
      wide
    >
      {({ id, describedBy }) => (
        <>
          <textarea
            ref={(area) => area?.setCustomValidity(isBroken ? NOT_AN_OBJECT : "")}
            id={id}
            rows={3}
            className="mono"
            spellCheck={false}
            aria-describedby={describedBy}
            aria-invalid={isBroken}
            value={text}
            readOnly={readOnly}
            onChange={(event) => read(event.target.value)}
            onBlur={() => readOptions(text) && setTyped(null)}
          />
          {isBroken && (
            <p className="small text-failed" role="status">
              {NOT_AN_OBJECT}
            </p>
          )}
        </>
      )}
    </FieldLine>
  );
}

/** Parses the text as a JSON object. An empty text is an empty object; null if it is anything else. */
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

function Permissions({ editing, readOnly, agent }: FieldContext & { agent: Agent }) {
  const { value } = editing.state("permission");
  const ownRules = Array.isArray(value) ? (value as Rule[]) : [];
  return (
    <>
      <RuleTable
        list="rules"
        title="Permissions"
        hint="Added to the inherited rules. The last rule that matches a call decides; limits of policies still apply."
        rules={ownRules}
        onChange={(rules) => editing.change("permission", rules.length > 0 ? rules : null)}
        readOnly={readOnly}
      />
      <Rules title="All rules of this agent" rules={agent.permission} />
      <RuleSummary
        title="Rules from the repository, which can only make rules stricter"
        rules={agent.file_permission}
      />
    </>
  );
}

function Rules({ title, rules }: { title: string; rules: readonly Rule[] }) {
  if (rules.length === 0) return null;
  return <RuleSummary title={`${title} (${plural(rules.length, "rule")})`} rules={rules} />;
}
