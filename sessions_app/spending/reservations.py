"""The record of model calls: reserved before the provider is called, then settled or released once, even if a process
dies.

A reservation is a short transaction. Settling is part of the transaction that stores the answer. A call whose answer is
not stored is settled alone; a call whose worker died is settled at its reserved amount by `settle_abandoned`. Each of
these moves the row out of `reserved`, so only one can succeed.
"""

import uuid
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any, Final

from django.db import transaction
from django.db.models import Exists, OuterRef, Q
from django.utils import timezone

from agentsite.base.errors import Missing
from agentsite.base.prepared import insert_rows, update_rows
from agentsite.base.sqlite_lock import sqlite_write_lock
from sessions_app.events.log import session_write
from sessions_app.llm.port import TokenUsage
from sessions_app.llm.prices import ModelFacts
from sessions_app.models import Budget, ModelCall, Session, Turn
from sessions_app.spending.admission import Bound, Rejected, admit, is_free, max_cost
from sessions_app.spending.ledger import (
    add_reserved,
    add_settled,
    lock_budgets,
    lock_sessions,
    save_sums,
    share_lock_team,
    terms_of,
)
from sessions_app.spending.notices import notify_share

ABANDONED_AFTER: Final = timedelta(seconds=20)  # longer than a lease; the worker of a younger call may still be alive
ABANDONED_AFTER_WITHOUT_LEASE: Final = timedelta(minutes=5)  # for titles and summaries, which have no lease
BATCH: Final = 200


@dataclass(frozen=True, slots=True)
class CallBilling:
    """The team, project, person and session that a call is billed to, and its purpose. `token` is the lease of the
    turn; empty for titles and summaries."""

    team_id: uuid.UUID
    project_id: uuid.UUID
    session_id: uuid.UUID
    root_session_id: uuid.UUID
    session_public_id: str
    user_id: uuid.UUID | None = None
    turn_id: uuid.UUID | None = None
    message_id: uuid.UUID | None = None
    token: str = ""


@dataclass(frozen=True, slots=True)
class PlannedCall:
    """A model call that is planned but not reserved: its purpose and model, the maximum tokens, and the facts about the
    model's price."""

    purpose: str
    provider: str
    model: str
    bound: Bound
    facts: ModelFacts
    prefix: str = ""


@dataclass(frozen=True, slots=True)
class Reservation:
    """The money reserved for a model call. `bound` is the most that the call can use. `is_capped`: the maximum length
    of the answer must be sent to the provider."""

    call: ModelCall
    bound: Bound
    is_capped: bool


class BudgetExceeded(Exception):
    """A budget has no room for the call, which was not made."""

    def __init__(self, stopped: Rejected, budget: Budget) -> None:
        super().__init__(stopped.why)
        self.stopped = stopped
        self.budget = budget


@dataclass(frozen=True, slots=True)
class Settlement:
    """The outcome of a model call. `tokens` has the field names of `TokenUsage`. `cost` is None if the price is
    unknown."""

    tokens: Mapping[str, int] = field(default_factory=dict)
    cost: Decimal | None = Decimal(0)
    is_estimated: bool = False
    is_released: bool = False

    @property
    def unpriced_calls(self) -> int:
        return 1 if self.cost is None else 0


RELEASED: Final = Settlement(is_released=True)


def billing_of(session: Session, **more: Any) -> CallBilling:
    """Return the billing of a session's model calls; calls of a sub-agent are billed to the root session. Reads
    `session.project`."""
    root_id = session.root_id or session.pk
    return CallBilling(session.project.team_id, session.project_id, session.pk, root_id, session.public_id, **more)


def reserve_call(billing: CallBilling, asked: PlannedCall) -> Reservation:
    """Record a model call and reserve its maximum cost in every budget that applies. Raises BudgetExceeded."""
    with sqlite_write_lock(), transaction.atomic():
        made = _reserve(billing, asked)
    if isinstance(made, BudgetExceeded):
        raise made
    return made


def _reserve(billing: CallBilling, asked: PlannedCall) -> Reservation | BudgetExceeded:
    lock_sessions(billing.root_session_id, billing.session_id)
    share_lock_team(billing.team_id)
    now = timezone.now()
    budgets: list[Budget] = []
    if not is_free(asked.facts):
        budgets = lock_budgets(billing.team_id, billing.project_id, billing.user_id, billing.root_session_id, now)
    fitting = admit(asked.bound, asked.facts, [terms_of(budget) for budget in budgets])
    if isinstance(fitting, Rejected):
        return _stop(fitting, next(budget for budget in budgets if budget.pk == fitting.budget))
    at = max([now, *(budget.window_start for budget in budgets)])
    call = _add_row(billing, asked, fitting.bound, at)
    add_reserved(fitting.amounts, is_priced=call.is_priced)
    return Reservation(call, fitting.bound, fitting.is_capped)


def _stop(stopped: Rejected, budget: Budget) -> BudgetExceeded:
    """Return the exception for a rejected call, and notify people that the budget is used up. The amount that is left,
    if any, is too small for the call."""
    if stopped.why == "budget_exhausted" and budget.noticed < 100:
        budget.noticed = 100
        notify_share(budget, 100)
    save_sums([budget])
    return BudgetExceeded(stopped, budget)


def _add_row(billing: CallBilling, asked: PlannedCall, bound: Bound, at: datetime) -> ModelCall:
    most = max_cost(bound, asked.facts)
    call = ModelCall(
        team_id=billing.team_id,
        project_id=billing.project_id,
        session_id=billing.session_id,
        root_session_id=billing.root_session_id,
        session_public_id=billing.session_public_id,
        turn_id=billing.turn_id,
        message_id=billing.message_id,
        user_id=billing.user_id,
        token=billing.token,
        purpose=asked.purpose,
        provider=asked.provider,
        model=asked.model,
        prefix=asked.prefix,
        is_priced=most is not None,
        bound_input=bound.input,
        bound_output=bound.output,
        reserved=most or Decimal(0),
        at=at,
    )
    insert_rows([call])
    return call


def settle_call(call: ModelCall, outcome: Settlement) -> bool:
    """Settle a reserved call inside the caller's transaction. Returns False if the call was settled before."""
    state = ModelCall.State.RELEASED if outcome.is_released else ModelCall.State.SETTLED
    counts = {f"{name}_tokens": count for name, count in outcome.tokens.items()}
    ended = {"state": state, "cost": outcome.cost, "is_estimated": outcome.is_estimated, "settled_at": timezone.now()}
    if not update_rows(ModelCall, Q(pk=call.pk, state=ModelCall.State.RESERVED), {**ended, **counts}):
        return False
    if call.reserved or outcome.cost or not call.is_priced:
        add_settled(call, tokens=TokenUsage(**outcome.tokens), cost=outcome.cost, is_released=outcome.is_released)
    return True


def settle_alone(call: ModelCall, session_id: uuid.UUID | None, outcome: Settlement) -> bool:
    """Settle a call whose answer is not stored, in its own transaction, and add its cost to the session."""
    if session_id is not None and (outcome.cost or outcome.unpriced_calls):
        with suppress(Missing), session_write(session_id, related=("created_by",)) as write:
            if not settle_call(call, outcome):
                return False
            _add_cost(write.session, outcome)
            write.session_changed()
            return True
    with sqlite_write_lock(), transaction.atomic():
        return settle_call(call, outcome)


def settle_abandoned(now: datetime) -> int:
    """Settle the calls of dead workers at their maximum cost, and return the number of these calls."""
    living = Turn.objects.filter(
        pk=OuterRef("turn_id"), state=Turn.State.RUNNING, lease_token=OuterRef("token"), lease_until__gte=now
    )
    rows = ModelCall.objects.filter(state=ModelCall.State.RESERVED).order_by("at")
    of_turns = rows.filter(at__lt=now - ABANDONED_AFTER).exclude(token="").exclude(Exists(living))
    small = rows.filter(at__lt=now - ABANDONED_AFTER_WITHOUT_LEASE, token="")
    found = [*of_turns[:BATCH], *small[:BATCH]]
    return sum(settle_alone(call, call.session_id, _at_maximum_cost(call)) for call in found)


def _at_maximum_cost(call: ModelCall) -> Settlement:
    tokens = {"input": call.bound_input, "output": call.bound_output}
    return Settlement(tokens, call.reserved if call.is_priced else None, is_estimated=True)


@dataclass(frozen=True, slots=True)
class StepUsage:
    """Tokens and cost of a step. `limit` is the number of tokens at which the conversation is compacted, 0 if unknown.
    `settles` is the record of the model call to settle, and its outcome."""

    tokens: dict[str, int]
    cost: Decimal
    limit: int = 0
    settles: tuple[ModelCall, Settlement] | None = None

    @property
    def unpriced_calls(self) -> int:
        return 0 if self.settles is None else self.settles[1].unpriced_calls


def add_usage(session: Session, spent: StepUsage) -> None:
    """Add the tokens and cost of a step to the session, and settle the model call. If the call was already settled,
    because its worker was considered dead, only the tokens are added."""
    if spent.settles is not None and settle_call(*spent.settles):
        _add_cost(session, spent.settles[1])
    session.tokens = {name: session.tokens.get(name, 0) + count for name, count in spent.tokens.items()}


def _add_cost(session: Session, outcome: Settlement) -> None:
    session.cost += outcome.cost or Decimal(0)
    session.unpriced_calls += outcome.unpriced_calls
