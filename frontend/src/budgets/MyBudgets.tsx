import { BudgetList } from "./BudgetList";
import { useMyBudgets } from "./queries";

/** Budgets that limit the person's own work, in all teams. */
export function MyBudgets() {
  return (
    <>
      <p className="muted">Budgets that limit the work you start: your own and those of your teams.</p>
      <BudgetList found={useMyBudgets()} empty="No budget limits the work you start." withTeam />
    </>
  );
}
