"""Texts about budgets for people."""

from collections.abc import Mapping
from datetime import datetime
from decimal import Decimal
from typing import Final

from agentsite.base.error_codes import ErrorCode
from agentsite.tenancy.models import User
from agentsite.tenancy.roles import PERMITTED, Act
from sessions_app.models import Budget
from sessions_app.spending.admission import Rejected, window_end

MAX_NAMED_PEOPLE: Final = 3  # people listed as able to raise a budget
PERIODS: Final[Mapping[str, str]] = {"day": "a day", "week": "a week", "month": "a month", "total": "in total"}
PROVIDERS_PAGE: Final = "the team's page, under Providers"


def dollars(amount: Decimal) -> str:
    """Format an amount of US dollars with as many decimals as it needs, from two to six."""
    text = f"{amount:,.6f}".rstrip("0")
    whole, _, rest = text.partition(".")
    return f"${whole}.{rest:0<2}"


def period_words(period: str) -> str:
    return PERIODS[period]


def name_of(budget: Budget) -> str:
    """Return a phrase for a budget's owner, such as "the project X". Reads its team, project, person or session."""
    match budget.scope:
        case Budget.Scope.PROJECT if budget.project:
            return f"the project {budget.project.name}"
        case Budget.Scope.PERSON if budget.person:
            return f"{budget.person.name or budget.person.email} in {budget.team.name}"
        case Budget.Scope.SESSION:
            return "this session"
    return f"the team {budget.team.name}"


def block_error(budget: Budget, stopped: Rejected, model: str) -> dict[str, str]:
    """Return the error of a blocked turn, which says which budget blocks it, how much of the budget is used, and who
    can raise it. Everyone who can see the session can read the error, so amounts of a person's budget are left out."""
    if stopped.why == "price_unknown":
        return {
            "code": ErrorCode.PRICE_UNKNOWN,
            "message": f"The price of the model '{model}' is unknown, and the budget of {name_of(budget)} allows no "
            "model without a price.",
            "hint": f"Enter its price on {PROVIDERS_PAGE}, or set assumed prices in the budget. Then continue.",
        }
    return {
        "code": ErrorCode.BUDGET_EXHAUSTED,
        "message": f"The budget of {name_of(budget)} has no room for the next step{_amounts(budget, stopped)}.",
        "hint": f"{_who_can_raise(budget)}{_when_it_continues(budget)} Everything done so far is kept.",
    }


def _amounts(budget: Budget, stopped: Rejected) -> str:
    if budget.scope == Budget.Scope.PERSON:
        return ""
    used = f"{dollars(budget.spent)} of {dollars(budget.limit)} {period_words(budget.period)} is used"
    return f": {used}, and the step can cost up to {dollars(stopped.least)}"


def _who_can_raise(budget: Budget) -> str:
    admins = User.objects.filter(
        memberships__team=budget.team_id, memberships__role__in=PERMITTED[Act.MANAGE_BUDGETS], is_active=True
    ).order_by("pk")
    names = [admin.name or admin.email for admin in admins[:MAX_NAMED_PEOPLE]]
    return f"The turn continues when somebody raises the budget, which {' or '.join(names) or 'an admin'} can do"


def _when_it_continues(budget: Budget) -> str:
    end: datetime | None = window_end(budget.period, budget.window_start)
    return "." if end is None else f", or automatically on {end:%d %b %Y} (UTC)."
