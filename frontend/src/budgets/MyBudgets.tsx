import "../styles/budgets.css";
import { BudgetList } from "./BudgetList";
import { useMyBudgets } from "./queries";

/** What bounds one's own work, in all teams. */
export function MyBudgets() {
  return (
    <section aria-label="Budgets">
      <p className="muted">What bounds the work that you start: your own budgets, and those of your teams.</p>
      <BudgetList found={useMyBudgets()} empty="No budget bounds what you start." withTeam />
    </section>
  );
}
