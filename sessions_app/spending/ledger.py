"""The running sums of budgets, updated by each reservation and settlement under the budgets' locks.

Locks are acquired in one order everywhere: sessions, the team (shared), then the budgets by id. Creating or changing a
budget locks the team exclusively, so that its initial sums include every call.
"""

import uuid
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any, Final

from django.db import connection
from django.db.models import Count, Q, QuerySet, Sum
from django.utils import timezone

from agentsite.base.errors import Missing
from agentsite.base.prepared import adapted
from agentsite.tenancy.models import Team
from sessions_app.llm.port import TokenUsage
from sessions_app.llm.prices import UNKNOWN, ModelFacts
from sessions_app.models import Budget, ModelCall
from sessions_app.spending.admission import (
    Bound,
    BudgetTerms,
    cost_of,
    flat_prices,
    max_cost,
    notice_due,
    window_end,
    window_start,
)
from sessions_app.spending.notices import notify_share

ZERO_PRICES: Final = flat_prices(Decimal(0), Decimal(0))

# Building these statements with the ORM would cost several times their execution. They work on both databases.
_BINDING_BUDGETS: Final = (
    "SELECT * FROM sessions_app_budget WHERE team_id = %s"
    " AND (scope = 'team' OR project_id = %s OR person_id = %s OR session_id = %s) ORDER BY id"
)
_ADD_TO_SUMS: Final = (
    "UPDATE sessions_app_budget SET spent = ROUND(spent + %s, 6), reserved = ROUND(reserved + %s, 6),"
    " unpriced_calls = unpriced_calls + %s WHERE id IN ({ids})"
)
_SHARE_TEAM: Final = "SELECT 1 FROM tenancy_team WHERE id = %s FOR KEY SHARE"
_SHARE_SESSIONS: Final = "SELECT id FROM sessions_app_session WHERE id IN ({ids}) ORDER BY id"


@dataclass(frozen=True, slots=True)
class SumsChange:
    """Changes of a budget's sums: amounts to add to the columns of the same names."""

    spent: Decimal = Decimal(0)
    reserved: Decimal = Decimal(0)
    unpriced_calls: int = 0


@dataclass(frozen=True, slots=True)
class BudgetSums:
    spent: Decimal
    reserved: Decimal
    unpriced_calls: int


def lock_team(team_id: uuid.UUID) -> None:
    """Lock the team exclusively: until this transaction ends no budget is changed and no call is reserved or
    settled."""
    if Team.objects.select_for_update().filter(pk=team_id).first() is None:
        raise Missing("This team no longer exists.")


def budgets_of(
    team_id: uuid.UUID, project_id: uuid.UUID | None, user_id: uuid.UUID | None, root_id: uuid.UUID | None
) -> QuerySet[Budget]:
    """Return the budgets that apply to a call that is billed to this team, project, person and root session."""
    mine = Q(scope=Budget.Scope.TEAM)
    if project_id is not None:
        mine |= Q(project_id=project_id)
    if user_id is not None:
        mine |= Q(person_id=user_id)
    if root_id is not None:
        mine |= Q(session_id=root_id)
    return Budget.objects.filter(mine, team_id=team_id).order_by("id")


def lock_budgets(
    team_id: uuid.UUID,
    project_id: uuid.UUID | None,
    user_id: uuid.UUID | None,
    root_id: uuid.UUID | None,
    now: datetime,
) -> list[Budget]:
    """Lock and return the budgets that apply to a model call. If a budget's period has ended, its current period is
    started, with zero sums."""
    found = lock_binding(team_id, project_id, user_id, root_id)
    save_sums([budget for budget in found if roll_over(budget, now)])
    return found


def roll_over(budget: Budget, now: datetime) -> bool:
    """Start the budget's current period, in memory, if the stored period is an earlier one: set the sums to 0. Returns
    whether a period was started. A period never moves back, even if clocks differ."""
    start = window_start(budget.period, now)
    if start <= budget.window_start:
        return False
    budget.window_start, budget.noticed, budget.unpriced_calls = start, 0, 0
    budget.spent = budget.reserved = Decimal(0)
    return True


def terms_of(budget: Budget) -> BudgetTerms:
    return BudgetTerms(
        budget.pk, budget.limit, budget.spent, budget.reserved, budget.hard, assumed_facts(budget), budget.max_output
    )


def assumed_facts(budget: Budget) -> ModelFacts:
    match budget.unknown_prices:
        case Budget.UnknownPrices.REFUSE:
            return UNKNOWN
        case Budget.UnknownPrices.ASSUME:
            return flat_prices(budget.assumed_input or Decimal(0), budget.assumed_output or Decimal(0))
    return ZERO_PRICES


def add_reserved(amounts: Mapping[Any, Decimal], *, is_priced: bool) -> None:
    """Add the reserved amounts of a new call to the sums of the locked budgets. `amounts` maps the ids of the budgets
    to amounts."""
    unpriced = 0 if is_priced else 1
    add_to_sums({budget_id: SumsChange(reserved=held, unpriced_calls=unpriced) for budget_id, held in amounts.items()})


def add_settled(call: ModelCall, *, tokens: TokenUsage, cost: Decimal | None, is_released: bool) -> None:
    """Settle a model call in its budgets: subtract the reserved amount from each budget's reserved sum, and add `cost`
    (priced by the budget if it is None) to the spent sum. Budgets whose period began after the call are left alone.

    Call it while the row of the call still has the reserved amounts. `is_released`: a call without a price no longer
    counts as one of unknown cost.
    """
    share_lock_team(call.team_id)
    budgets = lock_binding(call.team_id, call.project_id, call.user_id, call.root_session_id)
    moves: dict[Any, SumsChange] = {}
    for budget in budgets:
        if budget.window_start > call.at:
            continue
        given_back = -1 if is_released and not call.is_priced else 0
        moves[budget.pk] = moved = SumsChange(cost_in(budget, tokens, cost), -reserved_in(budget, call), given_back)
        budget.spent, budget.reserved = budget.spent + moved.spent, budget.reserved + moved.reserved
        if share := notice_due(budget.limit, budget.spent, budget.noticed):
            Budget.objects.filter(pk=budget.pk).update(noticed=share)
            notify_share(budget, share)
    add_to_sums(moves)


def reserved_in(budget: Budget, call: ModelCall) -> Decimal:
    if call.is_priced:
        return call.reserved
    return max_cost(Bound(call.bound_input, call.bound_output), assumed_facts(budget)) or Decimal(0)


def cost_in(budget: Budget, tokens: TokenUsage, cost: Decimal | None) -> Decimal:
    if cost is not None:
        return cost
    return cost_of(tokens, assumed_facts(budget)) or Decimal(0)


def sums_of(budget: Budget) -> BudgetSums:
    """Return the sums of the budget's current period, calculated from the model calls."""
    calls = calls_in(budget)
    settled, open_calls = Q(state=ModelCall.State.SETTLED), Q(state=ModelCall.State.RESERVED)
    of_all = calls.aggregate(
        spent=Sum("cost", filter=settled),
        reserved=Sum("reserved", filter=open_calls & Q(is_priced=True)),
        unpriced=Count("id", filter=Q(is_priced=False) & ~Q(state=ModelCall.State.RELEASED)),
    )
    spent, reserved = of_all["spent"] or Decimal(0), of_all["reserved"] or Decimal(0)
    if of_all["unpriced"] and budget.unknown_prices == Budget.UnknownPrices.ASSUME:
        for call in calls.filter(is_priced=False).iterator():
            if call.state == ModelCall.State.RESERVED:
                reserved += reserved_in(budget, call)
            elif call.state == ModelCall.State.SETTLED:
                spent += cost_in(budget, usage_of(call), None)
    return BudgetSums(spent, reserved, of_all["unpriced"])


def calls_in(budget: Budget) -> QuerySet[ModelCall]:
    """Return the model calls of the current period that are billed to the budget."""
    rows = ModelCall.objects.filter(team_id=budget.team_id, at__gte=budget.window_start).order_by()
    match budget.scope:
        case Budget.Scope.PROJECT:
            return rows.filter(project=budget.project)
        case Budget.Scope.PERSON:
            return rows.filter(user=budget.person)
        case Budget.Scope.SESSION:
            return rows.filter(root_session=budget.session)
    return rows


def recalculate_sums(budget: Budget) -> None:
    """Set the sums of a budget, in memory, to the sums of its calls. Call it with the team locked."""
    sums = sums_of(budget)
    budget.spent, budget.reserved, budget.unpriced_calls = sums.spent, sums.reserved, sums.unpriced_calls


def usage_of(call: ModelCall) -> TokenUsage:
    return TokenUsage(
        call.input_tokens, call.output_tokens, call.reasoning_tokens, call.cache_read_tokens, call.cache_write_tokens
    )


def room_of(budget: Budget, now: datetime | None = None) -> Decimal:
    """Return the amount that is left of a budget in the current period, without a query."""
    end = window_end(budget.period, budget.window_start)
    if end is not None and end <= (now or timezone.now()):
        return budget.limit
    return budget.limit - budget.spent - budget.reserved


def save_sums(budgets: Iterable[Budget]) -> None:
    fields = ["spent", "reserved", "unpriced_calls", "noticed", "window_start"]
    for budget in budgets:
        budget.save(update_fields=fields)


def share_lock_team(team_id: uuid.UUID) -> None:
    """Lock the team against changes of its budgets until this transaction ends. Does nothing on SQLite, which has only
    one writer."""
    if _locks_rows():
        _execute(_SHARE_TEAM, [team_id])


def lock_sessions(*ids: uuid.UUID) -> None:
    """Lock the sessions against deletion until this transaction ends. Call this before the budgets are locked: rows
    that refer to a session lock it at the commit, which would be the wrong order. Raises Missing if a session was
    deleted."""
    wanted = sorted(set(ids))
    statement = _SHARE_SESSIONS.format(ids=_placeholders(wanted)) + (" FOR KEY SHARE" if _locks_rows() else "")
    with connection.cursor() as cursor:
        cursor.execute(statement, list(map(adapted, wanted)))
        if len(cursor.fetchall()) != len(wanted):
            raise Missing("This session no longer exists.")


def lock_binding(
    team_id: uuid.UUID, project_id: uuid.UUID | None, user_id: uuid.UUID | None, root_id: uuid.UUID | None
) -> list[Budget]:
    """Return the budgets that apply to calls of this team, project, person and root session, locked in the order of
    their ids."""
    statement = _BINDING_BUDGETS + (" FOR UPDATE" if _locks_rows() else "")
    return list(Budget.objects.raw(statement, list(map(adapted, (team_id, project_id, user_id, root_id)))))


def add_to_sums(moves: Mapping[Any, SumsChange]) -> None:
    """Add amounts to the sums of budgets. `moves` maps the id of each budget to its amounts; budgets with equal amounts
    are updated in one statement. The rows of the budgets must be locked."""
    alike: dict[SumsChange, list[uuid.UUID]] = {}
    for budget_id, moved in moves.items():
        alike.setdefault(moved, []).append(budget_id)
    for moved, ids in alike.items():
        values = [moved.spent, moved.reserved, moved.unpriced_calls, *map(adapted, ids)]
        _execute(_ADD_TO_SUMS.format(ids=_placeholders(ids)), values)


def _execute(statement: str, values: list[Any]) -> None:
    with connection.cursor() as cursor:
        cursor.execute(statement, values)


def _placeholders(values: Iterable[object]) -> str:
    return ", ".join("%s" for _ in values)


def _locks_rows() -> bool:
    return connection.vendor == "postgresql"
