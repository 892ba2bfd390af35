import { type CSSProperties, useState } from "react";
import { type Budget, deleteBudget } from "../api/budgets";
import { Dialog } from "../ui/Dialog";
import { Problem } from "../ui/Notice";
import { useAction } from "../ui/useAction";
import { BudgetForm } from "./BudgetForm";
import { refreshBudgets } from "./queries";
import { LEVEL_WORDS, level, money, PERIOD_WORDS, periodEnd, SCOPE_WORDS, share } from "./words";

/** One budget: its subject, how much of it is used, and buttons to change or remove it. */
export function BudgetRow({ budget, withTeam = false }: { budget: Budget; withTeam?: boolean }) {
  const [open, setOpen] = useState<"" | "edit" | "remove">("");
  const name = budget.scope === "team" ? budget.team_name : budget.target_name;
  const close = () => setOpen("");
  return (
    <li className="budget-row" data-testid="budget-row">
      <div className="budget-head">
        <span className="budget-name">{name}</span>
        <span className="muted">
          {SCOPE_WORDS[budget.scope]}
          {withTeam && budget.scope !== "team" && ` in ${budget.team_name}`}
          {budget.hard ? "" : " · warns only"}
        </span>
        {budget.can_edit && (
          <span className="budget-acts">
            <button type="button" className="button" onClick={() => setOpen("edit")}>
              Change
            </button>
            <button type="button" className="button" onClick={() => setOpen("remove")}>
              Remove
            </button>
          </span>
        )}
      </div>
      <BudgetBar budget={budget} name={name} />
      <Facts budget={budget} />
      <Dialog open={open === "edit"} onClose={close} title={`Change budget of ${name}`}>
        <BudgetForm teamId={budget.team_id} budget={budget} onDone={close} />
      </Dialog>
      <Dialog open={open === "remove"} onClose={close} title={`Remove budget of ${name}`}>
        <Removal budget={budget} onDone={close} />
      </Dialog>
    </li>
  );
}

function BudgetBar({ budget, name }: { budget: Budget; name: string }) {
  const state = level(budget);
  const used = share(budget);
  const words = `${money(budget.spent)} of ${money(budget.limit)} ${PERIOD_WORDS[budget.period]}`;
  return (
    <div className="budget-use">
      {/* biome-ignore lint/a11y/useSemanticElements: the look of <meter> differs from browser to browser */}
      <span
        className={`bar budget-bar ${state && `bar-${state}`}`}
        role="meter"
        aria-label={`Budget of ${name} in use`}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={Math.round(used * 100)}
        aria-valuetext={`${words}${state && `, ${LEVEL_WORDS[state]}`}`}
      >
        <span style={{ "--share": `${used * 100}%` } as CSSProperties} />
      </span>
      <span className="number">{words}</span>
      {state && <span className={`full-word full-word-${state}`}>{LEVEL_WORDS[state]}</span>}
    </div>
  );
}

function Facts({ budget }: { budget: Budget }) {
  const facts = [
    `${money(budget.left)} left`,
    Number(budget.reserved) > 0 ? `${money(budget.reserved)} reserved for running calls` : "",
    budget.unpriced_calls > 0 ? `${budget.unpriced_calls} calls to models without a known price` : "",
    periodEnd(budget),
  ];
  return <p className="muted number budget-facts">{facts.filter(Boolean).join(" · ")}</p>;
}

function Removal({ budget, onDone }: { budget: Budget; onDone: () => void }) {
  const { run, busy, error } = useAction();
  const remove = () =>
    run(async () => {
      await deleteBudget(budget.id);
      await refreshBudgets();
      onDone();
    });
  return (
    <div className="budget-removal">
      <p>
        Its limit no longer applies, and sessions that it stopped continue at once. Past spending stays in the usage report.
      </p>
      {error !== null && <Problem error={error} />}
      <div className="dialog-acts">
        <button type="button" className="button" onClick={onDone}>
          Cancel
        </button>
        <button type="button" className="button danger" disabled={busy} onClick={() => void remove()}>
          Remove budget </button>
      </div>
    </div>
  );
}
