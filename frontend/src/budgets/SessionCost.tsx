import { useState } from "react";
import { useMe, useProjects } from "../app/queries";
import { formatCost, formatCount, tokensTotal } from "../lib/format";
import { isAdmin } from "../permissions/approvers";
import { useLive } from "../store/SessionContext";
import { Dialog } from "../ui/Dialog";
import { BudgetForm } from "./BudgetForm";
import { BudgetList } from "./BudgetList";
import { useSessionBudgets } from "./queries";
import "./budgets.css";

/** Tokens and cost in the session's header; opens the budgets that limit the session. */
export function SessionCost({ sessionId }: { sessionId: string }) {
  const cost = useLive((state) => state.session?.cost ?? 0);
  const unpriced = useLive((state) => state.session?.unpriced_calls ?? 0);
  const tokens = useLive((state) => tokensTotal(state.session?.tokens ?? null));
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button
        type="button"
        className="link number session-cost"
        title="Tokens, cost and budgets of this session"
        data-testid="session-cost"
        onClick={() => setOpen(true)}
      >
        <span className="session-tokens">{formatCount(tokens)} tokens · </span>
        {formatCost(cost, unpriced)}
      </button>
      <Dialog open={isOpen} onClose={() => setOpen(false)} title="Budgets of this session">
        {isOpen && <SessionBudgets sessionId={sessionId} />}
      </Dialog>
    </>
  );
}

function SessionBudgets({ sessionId }: { sessionId: string }) {
  const found = useSessionBudgets(sessionId);
  const [isAdding, setAdding] = useState(false);
  const teamId = useTeamWithBudgets();
  const isChild = useLive((state) => !!state.session?.parent_id);
  if (isAdding && teamId) {
    return <BudgetForm teamId={teamId} sessionId={sessionId} onDone={() => setAdding(false)} />;
  }
  return (
    <div className="session-budgets stack gap-12">
      <p className="muted">
        {isChild
          ? "The cost of a sub-agent counts for the session that started it. These budgets limit it."
          : "These budgets limit the work you start here, including sub-agents."}
      </p>
      <BudgetList found={found} empty="No budget limits the work you start here." />
      {teamId && !isChild && (
        <div className="flex end">
          <button type="button" className="button" onClick={() => setAdding(true)}>
            Add a budget for this session
          </button>
        </div>
      )}
    </div>
  );
}

/** Returns the id of the session's team if the person can create its budgets. */
function useTeamWithBudgets(): string | undefined {
  const projectId = useLive((state) => state.session?.project_id);
  const teamId = useProjects().data?.items.find((project) => project.id === projectId)?.team_id;
  const teams = useMe().data?.teams ?? [];
  return teams.find((team) => team.id === teamId && isAdmin(team.role))?.id;
}
