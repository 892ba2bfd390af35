import { useQuery } from "@tanstack/react-query";
import { type FormEvent, useId, useState } from "react";
import type { AccountTabProps } from "../account/tabProps";
import {
  changeVariable,
  createVariable,
  listVariables,
  removeVariable,
  type Variable,
  type VariableOwner,
} from "../api/variables";
import { formatAgo } from "../lib/format";
import { isAdmin } from "../permissions/approvers";
import type { ProjectTabProps } from "../project/tabProps";
import type { TeamTabProps } from "../team/tabProps";
import { ConfirmButton, ExpandableRow } from "../ui/ExpandableRow";
import { FieldsProblem } from "../ui/FieldsProblem";
import { Icon } from "../ui/Icon";
import { Problem, Skeleton } from "../ui/Notice";
import { TextField } from "../ui/TextField";
import { useAction } from "../ui/useAction";
import { SecretUse } from "./SecretUse";
import { changeOf, fieldsOf, NEW, newVariable, secretUse, type VariableFields } from "./variableFields";

const READERS =
  "Everybody in the team can read their values. A secret is different: nobody can read it again, and you choose who gets it.";

/** Section of a project's page: its variables, and those it has from its team. */
export function ProjectVariables({ project, mayChange }: ProjectTabProps) {
  return (
    <section className="settings-section stack gap-16 ruled-top" aria-label="Variables">
      <h2>Variables</h2>
      <VariableList
        owner={{ project: project.id }}
        mayChange={mayChange}
        secrets
        intro={`Commands in this project get these variables, and set-up too. ${READERS}`}
      />
      <h3>From the team</h3>
      <VariableList
        owner={{ team: project.team_id }}
        mayChange={false}
        intro="A variable of the project replaces one of the team with the same name."
      />
    </section>
  );
}

export function TeamVariables({ team }: TeamTabProps) {
  return (
    <VariableList
      owner={{ team: team.id }}
      mayChange={isAdmin(team.role)}
      secrets
      intro={`Commands in all projects of the team get these variables, and set-up too. ${READERS}`}
    />
  );
}

export function MyVariables(_: AccountTabProps) {
  return (
    <VariableList
      owner="me"
      mayChange
      intro="Commands of your own prompts get these variables, in every project. They replace variables of the project and the team with the same name. Everybody who works in the same workspace can read them."
    />
  );
}

interface VariableListProps {
  owner: VariableOwner;
  mayChange: boolean;
  intro: string;
  /** Whether variables can be secret here. */
  secrets?: boolean;
}

function VariableList({ owner, mayChange, intro, secrets = false }: VariableListProps) {
  const found = useQuery({ queryKey: ["variables", owner], queryFn: () => listVariables(owner) });
  const refresh = () => found.refetch();
  return (
    <>
      <p className="muted tab-intro">{intro}</p>
      {mayChange && (
        <VariableForm
          title="New variable"
          verb="Add variable"
          before={NEW}
          secrets={secrets}
          save={async (fields) => {
            await createVariable(owner, newVariable(fields));
            await refresh();
          }}
        />
      )}
      {found.isPending && <Skeleton rows={3} label="Loading the variables" />}
      {found.error && <Problem error={found.error} />}
      {found.data?.items.length === 0 && <p className="empty-tab muted">No variables yet.</p>}
      <ul className="ruled-top" aria-label="Variables">
        {found.data?.items.map((variable) => (
          <VariableRow key={variable.id} variable={variable} mayChange={mayChange} onChanged={refresh} />
        ))}
      </ul>
    </>
  );
}

interface VariableRowProps {
  variable: Variable;
  mayChange: boolean;
  onChanged: () => Promise<unknown>;
}

function VariableRow({ variable, mayChange, onChanged }: VariableRowProps) {
  const { run, busy, error } = useAction();
  return (
    <ExpandableRow
      name={variable.name}
      about={<Value variable={variable} />}
      testId="variable-row"
      aside={<span className="muted">{lastUse(variable)}</span>}
      error={error}
    >
      {mayChange ? (
        <VariableForm
          title={`Change ${variable.name}`}
          verb="Save"
          before={fieldsOf(variable)}
          save={async (fields) => {
            await changeVariable(variable.id, changeOf(variable, fields));
            await onChanged();
          }}
        />
      ) : (
        !variable.secret && <pre className="break-anywhere">{variable.value}</pre>
      )}
      <p className="muted">{lastChange(variable)}</p>
      {mayChange && (
        <div className="flow">
          <ConfirmButton
            verb="Remove"
            name={variable.name}
            lost="The next command does not get it. Commands that run keep it until they end."
            busy={busy}
            onConfirm={() =>
              void run(async () => {
                await removeVariable(variable.id);
                await onChanged();
              })
            }
          />
        </div>
      )}
    </ExpandableRow>
  );
}

interface VariableFormProps {
  title: string;
  verb: string;
  before: VariableFields;
  secrets?: boolean;
  save: (fields: VariableFields) => Promise<void>;
}

function VariableForm({ title, verb, before, secrets = false, save }: VariableFormProps) {
  const [fields, setFields] = useState(before);
  const set = (change: Partial<VariableFields>) => setFields((now) => ({ ...now, ...change }));
  const { name, value } = fields;
  const id = useId();
  const { run, busy, error } = useAction();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void run(async () => {
      await save({ ...fields, name: name.trim() });
      setFields(before.name ? { ...fields, value: before.secret ? "" : value } : NEW);
    });
  };
  return (
    <form className="token-form ruled" onSubmit={submit} aria-label={title}>
      <TextField
        label="Name"
        required
        maxLength={100}
        spellCheck={false}
        autoComplete="off"
        placeholder="DATABASE_URL"
        value={name}
        onText={(text) => set({ name: text })}
      />
      <div className="field full-row">
        <label htmlFor={id}>{before.secret ? "New value" : "Value"}</label>
        <textarea
          id={id}
          rows={2}
          spellCheck={false}
          autoComplete="off"
          placeholder={before.secret ? "Leave empty to keep the value" : undefined}
          value={value}
          onChange={(event) => set({ value: event.target.value })}
        />
      </div>
      {secrets && (
        <label className="line gap-6 full-row">
          <input
            type="checkbox"
            checked={fields.secret}
            onChange={(event) => set({ secret: event.target.checked })}
          />
          Secret: nobody can read it again
        </label>
      )}
      {fields.secret && <SecretUse fields={fields} before={before} onChange={set} />}
      {error !== null && <FieldsProblem error={error} />}
      <button type="submit" className="button primary" disabled={busy || !name.trim()}>
        {before.name ? (
          verb
        ) : (
          <>
            <Icon name="plus" size={14} /> {verb}
          </>
        )}
      </button>
    </form>
  );
}

function Value({ variable }: { variable: Variable }) {
  if (variable.secret) return <span className="muted break-anywhere">{secretUse(variable)}</span>;
  return <code className="small muted break-anywhere">{firstLine(variable.value)}</code>;
}

const firstLine = (value: string): string => {
  const [first = "", ...more] = value.split("\n");
  return more.length > 0 || first.length > 60 ? `${first.slice(0, 60)}…` : first;
};

const lastUse = ({ last_used_at }: Variable): string =>
  last_used_at ? `Used ${formatAgo(last_used_at)}` : "Not used yet";

function lastChange({ changed_at, changed_by }: Variable): string {
  const by = changed_by ? ` by ${changed_by.name || changed_by.email}` : "";
  return `Changed ${formatAgo(changed_at)}${by}.`;
}
