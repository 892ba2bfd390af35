"""Decide whether a model call fits into its budgets, and how long its answer may be. Pure.

All budgets that apply must have room. A call reserves its maximum cost; if that does not fit, its answer is limited,
down to `MIN_ANSWER_TOKENS`. Below that the call is stopped.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any, Final, Literal

from sessions_app.llm.prices import ModelFacts, Prices
from sessions_app.spending.estimate import MAX_TOKENS, Bound, max_cost, max_output_tokens

MIN_ANSWER_TOKENS: Final = 256  # a shorter answer would be useless
A_MILLION: Final = Decimal(1_000_000)
START_OF_TOTAL: Final = datetime(2000, 1, 1, tzinfo=UTC)
NOTICES: Final = (100, 80)  # per cent

RejectReason = Literal["budget_exhausted", "budget_busy", "price_unknown"]


@dataclass(frozen=True, slots=True)
class BudgetTerms:
    """A budget's settings and its usage in the current period. `assumed` are prices for models without one: UNKNOWN
    refuses such models, zero prices allow them."""

    id: Any
    limit: Decimal
    spent: Decimal
    reserved: Decimal
    hard: bool
    assumed: ModelFacts
    max_output: int | None = None

    @property
    def left(self) -> Decimal:
        return self.limit - self.spent - self.reserved


@dataclass(frozen=True, slots=True)
class Admitted:
    """The call fits. `amounts` is what is reserved in each budget. `is_capped`: the provider must be sent the answer's
    limit."""

    bound: Bound
    amounts: dict[Any, Decimal]
    is_capped: bool


@dataclass(frozen=True, slots=True)
class Rejected:
    """The call does not fit. `least` is the room that the budget needs for it. `busy`: releasing other calls'
    reservations would make enough room."""

    why: RejectReason
    budget: Any
    least: Decimal


def admit(bound: Bound, facts: ModelFacts, budgets: Sequence[BudgetTerms]) -> Admitted | Rejected:
    allowed = bound.output
    for terms in budgets:
        allowed = min(allowed, terms.max_output or MAX_TOKENS)
    shortest = min(MIN_ANSWER_TOKENS, allowed)
    priced = [(terms, facts if facts.tiers else terms.assumed) for terms in budgets]
    for terms, prices in priced:
        if not terms.hard:
            continue
        least = max_cost(replace(bound, output=shortest), prices)
        if least is None:
            return Rejected("price_unknown", terms.id, Decimal(0))
        if least > terms.left:
            busy = least <= terms.limit - terms.spent
            return Rejected("budget_busy" if busy else "budget_exhausted", terms.id, least)
        allowed = min(allowed, max_output_tokens(terms.left, bound.input, prices))
    fitting = replace(bound, output=max(allowed, shortest))
    amounts = {terms.id: max_cost(fitting, prices) or Decimal(0) for terms, prices in priced}
    is_capped = any(terms.hard or terms.max_output for terms in budgets)
    return Admitted(fitting, amounts, is_capped)


def flat_prices(input_price: Decimal, output_price: Decimal) -> ModelFacts:
    """Return prices in US dollars per million tokens, for all kinds of input and output."""
    into, out = input_price / A_MILLION, output_price / A_MILLION
    return ModelFacts(tiers=(Prices(0, into, out, out, into, into),))


def window_start(period: str, now: datetime) -> datetime:
    """Return when the current period began: midnight UTC of the day, of Monday, or of the first of the month."""
    today = now.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    match period:
        case "day":
            return today
        case "week":
            return today - timedelta(days=today.weekday())
        case "month":
            return today.replace(day=1)
    return START_OF_TOTAL


def window_end(period: str, start: datetime) -> datetime | None:
    """Return when the next period begins; None for a budget without periods."""
    match period:
        case "day":
            return start + timedelta(days=1)
        case "week":
            return start + timedelta(days=7)
        case "month":
            return (start + timedelta(days=32)).replace(day=1)
    return None


def notice_due(limit: Decimal, spent: Decimal, noticed: int) -> int:
    """Return the threshold in per cent to notify now; 0 for none."""
    reached = next((share for share in NOTICES if spent * 100 >= limit * share), 0)
    return reached if reached > noticed else 0
