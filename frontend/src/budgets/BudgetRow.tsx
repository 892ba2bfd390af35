import { type CSSProperties, useState } from "react";
import { type Budget, deleteBudget } from "../api/budgets";
import { ConfirmDialog } from "../ui/ConfirmDialog";
import { Dialog } from "../ui/Dialog";
import { BudgetForm } from "./BudgetForm";
import {
  formatDollars,
  LEVEL_LABELS,
  PERIOD_LABELS,
  resetText,
  SCOPE_LABELS,
  usageLevel,
  usedShare,
} from "./labels";
import { refreshBudgets } from "./queries";
import "./budgets.css";

/** One budget: its subject, how much of it is used, and buttons to change or remove it. */
export function BudgetRow({ budget, withTeam = false }: { budget: Budget; withTeam?: boolean }) {
  const [open, setOpen] = useState<"" | "edit" | "remove">("");
  const name = budget.scope === "team" ? budget.team_name : budget.target_name;
  const close = () => setOpen("");
  const remove = async () => {
    await deleteBudget(budget.id);
    await refreshBudgets();
  };
  return (
    <li className="budget-row stack" data-testid="budget-row">
      <div className="cluster gap-12 gap-y-4">
        <span className="semibold break-anywhere">{name}</span>
        <span className="muted">
          {SCOPE_LABELS[budget.scope]}
          {withTeam && budget.scope !== "team" && ` in ${budget.team_name}`}
          {budget.hard ? "" : " · warns only"}
        </span>
        {budget.can_edit && (
          <span className="flex push-end">
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
      <BudgetFacts budget={budget} />
      <Dialog open={open === "edit"} onClose={close} title={`Change budget of ${name}`}>
        <BudgetForm teamId={budget.team_id} budget={budget} onDone={close} />
      </Dialog>
      <ConfirmDialog
        open={open === "remove"}
        title={`Remove budget of ${name}`}
        verb="Remove budget"
        onConfirm={remove}
        onClose={close}
      >
        <p>
          Its limit no longer applies, and sessions that it stopped continue at once. Past spending stays in
          the usage report.
        </p>
      </ConfirmDialog>
    </li>
  );
}

function BudgetBar({ budget, name }: { budget: Budget; name: string }) {
  const state = usageLevel(budget);
  const used = usedShare(budget);
  const text = `${formatDollars(budget.spent)} of ${formatDollars(budget.limit)} ${PERIOD_LABELS[budget.period]}`;
  return (
    <div className="budget-use cluster gap-12 gap-y-4">
      {/* biome-ignore lint/a11y/useSemanticElements: the look of <meter> differs from browser to browser */}
      <span
        className={`bar budget-bar ${state && `bar-${state}`}`}
        role="meter"
        aria-label={`Budget of ${name} in use`}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={Math.round(used * 100)}
        aria-valuetext={`${text}${state && `, ${LEVEL_LABELS[state]}`}`}
      >
        <span style={{ "--share": `${used * 100}%` } as CSSProperties} />
      </span>
      <span className="number">{text}</span>
      {state && <span className={`full-word-${state}`}>{LEVEL_LABELS[state]}</span>}
    </div>
  );
}

function BudgetFacts({ budget }: { budget: Budget }) {
  const facts = [
    `${formatDollars(budget.left)} left`,
    Number(budget.reserved) > 0 ? `${formatDollars(budget.reserved)} reserved for running calls` : "",
    budget.unpriced_calls > 0 ? `${budget.unpriced_calls} calls to models without a known price` : "",
    resetText(budget),
  ];
  return <p className="muted number budget-facts">{facts.filter(Boolean).join(" · ")}</p>;
}
