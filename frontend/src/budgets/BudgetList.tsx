import { Problem, Skeleton } from "../ui/Notice";
import { BudgetRow } from "./BudgetRow";
import type { useMyBudgets } from "./queries";

interface BudgetListProps {
  found: ReturnType<typeof useMyBudgets>;
  empty: string;
  withTeam?: boolean;
}

export function BudgetList({ found, empty, withTeam = false }: BudgetListProps) {
  const rows = found.data?.pages.flatMap((page) => page.items) ?? [];
  return (
    <>
      {found.isPending && <Skeleton rows={4} label="Loading the budgets" />}
      {found.error && rows.length === 0 && (
        <Problem error={found.error}>
          <button type="button" className="button" onClick={() => void found.refetch()}>
            Try again
          </button>
        </Problem>
      )}
      {found.data && rows.length === 0 && <p className="empty-tab">{empty}</p>}
      {rows.length > 0 && (
        <ul className="rows budget-rows" aria-label="Budgets">
          {rows.map((row) => (
            <BudgetRow key={row.id} budget={row} withTeam={withTeam} />
          ))}
        </ul>
      )}
      {found.hasNextPage && (
        <button type="button" className="button" onClick={() => void found.fetchNextPage()}>
          Show more budgets
        </button>
      )}
    </>
  );
}
