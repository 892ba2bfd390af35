import { type FormEvent, useState } from "react";
import { type Budget, changeBudget, createBudget } from "../api/budgets";
import { useProjects } from "../app/queries";
import { shownName } from "../permissions/approvers";
import { useMembers } from "../team/queries";
import { FieldsProblem } from "../ui/FieldsProblem";
import { OptionList } from "../ui/OptionList";
import { TextField } from "../ui/TextField";
import { useAction } from "../ui/useAction";
import { PERIOD_LABELS, UNKNOWN_PRICE_LABELS } from "./labels";
import { refreshBudgets } from "./queries";
import "./budgets.css";

interface BudgetFormProps {
  teamId: string;
  /** The budget to change; a new one is created without it. */
  budget?: Budget;
  /** Creates the new budget for this session. */
  sessionId?: string;
  onDone: () => void;
}

const trimAmount = (amount: string | null | undefined): string =>
  (amount ?? "").replace(/(\.\d\d\d*?)0+$/, "$1").replace(/\.00$/, "");

export function BudgetForm({ teamId, budget, sessionId, onDone }: BudgetFormProps) {
  const [scope, setScope] = useState<Budget["scope"]>(budget?.scope ?? (sessionId ? "session" : "team"));
  const [target, setTarget] = useState(sessionId ?? "");
  const [period, setPeriod] = useState<Budget["period"]>(budget?.period ?? (sessionId ? "total" : "month"));
  const [limit, setLimit] = useState(trimAmount(budget?.limit));
  const [hard, setHard] = useState(budget?.hard ?? true);
  const [unknown, setUnknown] = useState<Budget["unknown_prices"]>(budget?.unknown_prices ?? "refuse");
  const [input, setInput] = useState(trimAmount(budget?.assumed_input));
  const [output, setOutput] = useState(trimAmount(budget?.assumed_output));
  const { run, busy, error } = useAction();
  const values = {
    period,
    limit: limit.trim(),
    hard,
    unknown_prices: unknown,
    assumed_input: unknown === "assume" ? input.trim() : null,
    assumed_output: unknown === "assume" ? output.trim() : null,
  };
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    await run(async () => {
      await (budget
        ? changeBudget(budget.id, { ...values, base_version: budget.version })
        : createBudget(teamId, { ...values, scope, target: scope === "team" ? "" : target }));
      await refreshBudgets();
      onDone();
    });
  };
  return (
    <form
      className="budget-form stack gap-12"
      onSubmit={submit}
      aria-label={budget ? "Change budget" : "Add budget"}
    >
      {!budget && !sessionId && (
        <TargetFields
          teamId={teamId}
          scope={scope}
          setScope={setScope}
          target={target}
          setTarget={setTarget}
        />
      )}
      <DollarField label="Limit in US dollars" value={limit} onChange={setLimit} />
      <label className="field">
        <span>Period</span>
        <select value={period} onChange={(event) => setPeriod(event.target.value as Budget["period"])}>
          <OptionList of={Object.entries(PERIOD_LABELS)} />
        </select>
      </label>
      <label className="line">
        <input type="checkbox" checked={hard} onChange={(event) => setHard(event.target.checked)} />
        Stop agents when the budget is used up
      </label>
      <label className="field">
        <span>Models without a known price</span>
        <select
          value={unknown}
          onChange={(event) => setUnknown(event.target.value as Budget["unknown_prices"])}
        >
          <OptionList of={Object.entries(UNKNOWN_PRICE_LABELS)} />
        </select>
      </label>
      {unknown === "assume" && (
        <>
          <DollarField label="US dollars per million input tokens" value={input} onChange={setInput} />
          <DollarField label="US dollars per million output tokens" value={output} onChange={setOutput} />
        </>
      )}
      {error !== null && <FieldsProblem error={error} />}
      <div className="flex end">
        <button type="button" className="button" onClick={onDone}>
          Cancel
        </button>
        <button type="submit" className="button primary" disabled={busy}>
          {budget ? "Save" : "Add budget"}
        </button>
      </div>
    </form>
  );
}

function DollarField({
  label,
  value,
  onChange,
}: {
  label: string;
  value: string;
  onChange: (text: string) => void;
}) {
  return (
    <TextField
      label={label}
      required
      inputMode="decimal"
      autoComplete="off"
      value={value}
      onText={onChange}
    />
  );
}

interface TargetFieldsProps {
  teamId: string;
  scope: Budget["scope"];
  setScope: (scope: Budget["scope"]) => void;
  target: string;
  setTarget: (target: string) => void;
}

const TARGET_LABELS = { team: "The whole team", project: "A project", person: "A person" } as const;

/** Chooses what the budget is for. Budgets of single sessions are created in those sessions. */
function TargetFields({ teamId, scope, setScope, target, setTarget }: TargetFieldsProps) {
  const projects = useProjects();
  const members = useMembers(teamId);
  const found =
    scope === "project"
      ? (projects.data?.items ?? [])
          .filter((one) => one.team_id === teamId)
          .map((one) => [one.id, one.name] as const)
      : (members.data?.pages ?? []).flatMap((page) =>
          page.items.map((one) => [one.user.id, shownName(one.user)] as const),
        );
  return (
    <>
      <label className="field">
        <span>For</span>
        <select
          value={scope}
          onChange={(event) => {
            setScope(event.target.value as Budget["scope"]);
            setTarget("");
          }}
        >
          <OptionList of={Object.entries(TARGET_LABELS)} />
        </select>
      </label>
      {scope !== "team" && (
        <label className="field">
          <span>{scope === "project" ? "Project" : "Person"}</span>
          <select required value={target} onChange={(event) => setTarget(event.target.value)}>
            <option value="" disabled>
              Choose
            </option>
            <OptionList of={found} />
          </select>
        </label>
      )}
    </>
  );
}
