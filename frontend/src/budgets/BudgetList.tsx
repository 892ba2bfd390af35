import { PagedList } from "../ui/PagedList";
import { BudgetRow } from "./BudgetRow";
import type { useMyBudgets } from "./queries";

interface BudgetListProps {
  found: ReturnType<typeof useMyBudgets>;
  empty: string;
  withTeam?: boolean;
}

export function BudgetList({ found, empty, withTeam = false }: BudgetListProps) {
  return (
    <PagedList
      query={found}
      label="Budgets"
      className="ruled-top"
      loading="Loading the budgets"
      placeholders={4}
      empty={empty}
      more="Show more budgets"
    >
      {(row) => <BudgetRow key={row.id} budget={row} withTeam={withTeam} />}
    </PagedList>
  );
}
