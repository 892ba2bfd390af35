import { useState } from "react";
import { isAdmin } from "../permissions/approvers";
import type { TeamTabProps } from "../team/tabProps";
import { Dialog } from "../ui/Dialog";
import { Icon } from "../ui/Icon";
import { BudgetForm } from "./BudgetForm";
import { BudgetList } from "./BudgetList";
import { useTeamBudgets } from "./queries";
import "./budgets.css";

/** The budgets of a team and how much of them is used. */
export function TeamBudgets({ team }: TeamTabProps) {
  const budgets = useTeamBudgets(team.id);
  const [isAdding, setAdding] = useState(false);
  return (
    <>
      <div className="budget-intro cluster between gap-12">
        <p className="muted">
          A budget limits what models may cost. Agents that reach it wait until the budget is raised or its
          next period begins.
        </p>
        {isAdmin(team.role) && (
          <button type="button" className="button primary" onClick={() => setAdding(true)}>
            <Icon name="plus" size={14} /> Add budget{" "}
          </button>
        )}
      </div>
      <BudgetList found={budgets} empty="No budgets yet." />
      <Dialog open={isAdding} onClose={() => setAdding(false)} title="Add budget">
        <BudgetForm teamId={team.id} onDone={() => setAdding(false)} />
      </Dialog>
    </>
  );
}
