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

const READERS =
  "Everybody in the team can read their values. A secret is different: only set-up gets it, nobody can read it again, and it is masked in output, results and changes.";

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
      intro="Commands of your own prompts get these variables, in every project. They replace variables of the project and the team with the same name. Whoever works in the same workspace can read them."
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
          before={{ name: "", value: "", secret: false }}
          secrets={secrets}
          save={async (fields) => {
            await createVariable(owner, fields);
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
          before={variable}
          save={async ({ name, value }) => {
            const kept = variable.secret && value === "";
            await changeVariable(variable.id, {
              name,
              ...(kept ? {} : { value }),
              base_version: variable.version,
            });
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

type Fields = Pick<Variable, "name" | "value" | "secret">;

interface VariableFormProps {
  title: string;
  verb: string;
  before: Fields;
  secrets?: boolean;
  save: (fields: Fields) => Promise<void>;
}

function VariableForm({ title, verb, before, secrets = false, save }: VariableFormProps) {
  const [name, setName] = useState(before.name);
  const [value, setValue] = useState(before.value);
  const [secret, setSecret] = useState(before.secret);
  const id = useId();
  const { run, busy, error } = useAction();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void run(async () => {
      await save({ name: name.trim(), value, secret });
      if (!before.name) {
        setName("");
        setValue("");
        setSecret(false);
      }
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
        onText={setName}
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
          onChange={(event) => setValue(event.target.value)}
        />
      </div>
      {secrets && (
        <label className="line gap-6 full-row">
          <input type="checkbox" checked={secret} onChange={(event) => setSecret(event.target.checked)} />
          Secret: only for set-up, cannot be read again
        </label>
      )}
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
  if (variable.secret) return <span className="muted">Secret</span>;
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
