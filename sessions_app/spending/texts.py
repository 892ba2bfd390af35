"""Budgets in words for people."""

from collections.abc import Mapping
from datetime import datetime
from decimal import Decimal
from typing import Final

from agentsite.base.error_codes import ErrorCode
from agentsite.tenancy.models import User
from agentsite.tenancy.roles import PERMITTED, Act
from sessions_app.models import Budget
from sessions_app.spending.admission import Stopped, window_end

MAX_NAMED_PEOPLE: Final = 3  # people listed as able to raise a budget
PERIODS: Final[Mapping[str, str]] = {"day": "a day", "week": "a week", "month": "a month", "total": "in total"}
PROVIDERS_PAGE: Final = "the team's page, under Providers"


def dollars(amount: Decimal) -> str:
    """Two digits, or as many as it takes to show what is there."""
    text = f"{amount:,.6f}".rstrip("0")
    whole, _, rest = text.partition(".")
    return f"${whole}.{rest:0<2}"


def period_words(period: str) -> str:
    return PERIODS[period]


def name_of(budget: Budget) -> str:
    """Whose it is: reads its team, project, person or session."""
    match budget.scope:
        case Budget.Scope.PROJECT if budget.project:
            return f"the project {budget.project.name}"
        case Budget.Scope.PERSON if budget.person:
            return f"{budget.person.name or budget.person.email} in {budget.team.name}"
        case Budget.Scope.SESSION:
            return "this session"
    return f"the team {budget.team.name}"


def stop_error(budget: Budget, stopped: Stopped, model: str) -> dict[str, str]:
    """Why a turn waits: whose budget, how much, who can raise it. All who see the session read it, so of a person's
    budget it does not say how much."""
    if stopped.why == "price_unknown":
        return {
            "code": ErrorCode.PRICE_UNKNOWN,
            "message": f"Nobody knows what the model '{model}' costs, and the budget of {name_of(budget)} takes no "
            "model without a price.",
            "hint": f"Enter its price on {PROVIDERS_PAGE}, or let the budget count it at a price of its own. Then "
            "continue.",
        }
    return {
        "code": ErrorCode.BUDGET_EXHAUSTED,
        "message": f"The budget of {name_of(budget)} has no room for the next step{_amounts(budget, stopped)}.",
        "hint": f"{_who_can_raise(budget)}{_when_it_goes_on(budget)} Everything done so far is kept.",
    }


def _amounts(budget: Budget, stopped: Stopped) -> str:
    if budget.scope == Budget.Scope.PERSON:
        return ""
    used = f"{dollars(budget.spent)} of {dollars(budget.limit)} {period_words(budget.period)} is used"
    return f": {used}, and it may take {dollars(stopped.least)}"


def _who_can_raise(budget: Budget) -> str:
    admins = User.objects.filter(
        memberships__team=budget.team_id, memberships__role__in=PERMITTED[Act.MANAGE_BUDGETS], is_active=True
    ).order_by("pk")
    names = [admin.name or admin.email for admin in admins[:MAX_NAMED_PEOPLE]]
    return f"It goes on when somebody raises the budget, which {' or '.join(names) or 'an admin'} can do"


def _when_it_goes_on(budget: Budget) -> str:
    end: datetime | None = window_end(budget.period, budget.window_start)
    return "." if end is None else f", or by itself on {end:%d %b %Y} (UTC)."
