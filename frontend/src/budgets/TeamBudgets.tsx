import "../styles/budgets.css";
import { useState } from "react";
import { isAdmin } from "../permissions/approvers";
import type { TeamTabProps } from "../team/tabs";
import { Dialog } from "../ui/Dialog";
import { Icon } from "../ui/Icon";
import { BudgetForm } from "./BudgetForm";
import { BudgetList } from "./BudgetList";
import { useTeamBudgets } from "./queries";

/** What models may cost in the team, and how much of it is used. */
export function TeamBudgets({ team }: TeamTabProps) {
  const budgets = useTeamBudgets(team.id);
  const [isAdding, setAdding] = useState(false);
  return (
    <>
      <div className="budget-intro">
        <p className="muted">
          A budget bounds what models cost. Agents that meet one wait, and go on when it is raised or its next
          period begins.
        </p>
        {isAdmin(team.role) && (
          <button type="button" className="button primary" onClick={() => setAdding(true)}>
            <Icon name="plus" size={14} /> Add a budget
          </button>
        )}
      </div>
      <BudgetList found={budgets} empty="No budget bounds what models cost here." />
      <Dialog open={isAdding} onClose={() => setAdding(false)} title="Add a budget">
        <BudgetForm teamId={team.id} onDone={() => setAdding(false)} />
      </Dialog>
    </>
  );
}
