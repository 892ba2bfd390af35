"""Stop turns that a budget blocks, and resume them when the budget has enough left.

A step that does not fit into a budget is not started, and nothing of the turn is lost. If other calls only hold
reservations for the moment, the step is retried shortly. Otherwise the turn waits and shows the reason. The turn is
resumed when the budget is raised or its next period begins (`resume_stopped`), or when a person continues it
(`continue_turn`), which checks the budgets again.
"""

import random
import uuid
from contextlib import suppress
from datetime import datetime, timedelta
from functools import partial
from typing import Any, Final

from django.utils import timezone

from agentsite.base.error_codes import ErrorCode
from agentsite.base.errors import Missing, Stale
from agentsite.tenancy.access import require
from agentsite.tenancy.models import Provider, User
from agentsite.tenancy.roles import Act
from sessions_app.actions.turns import LeaseLost, Step, end_turn, follow_turn, release_lease
from sessions_app.events import views
from sessions_app.events.log import SessionWrite, session_write
from sessions_app.models import Budget, Session, Turn
from sessions_app.models.base import move
from sessions_app.queueing import enqueue_turn
from sessions_app.spending.ledger import room_of
from sessions_app.spending.reservations import BudgetExceeded
from sessions_app.spending.texts import block_error

BUDGET, PRICE = "budget", "price"
RETRY_DELAY_SECONDS: Final = 1.0  # before a busy budget is checked again; plus a random delay of up to as much
MAX_BLOCKED_TIME: Final = timedelta(days=30)
BATCH: Final = 500


def block_turn(step: Step, stops: BudgetExceeded) -> None:
    """Block the turn of a step whose model call does not fit into a budget.

    The step is retried later instead if the budget lacks room only because of reservations of other calls, or if the
    turn is now billed to another person. Raises LeaseLost.
    """
    with session_write(step.session_id) as write:
        if stops.stopped.why == "budget_busy":
            _retry_later(write, step)
        elif Turn.objects.filter(pk=step.turn_id).exclude(payer=step.turn.payer_id).exists():
            _retry_later(write, step)  # somebody else has sent a prompt; their budgets count from now on
        else:
            _block(write, step, stops)


def _retry_later(write: SessionWrite, step: Step) -> None:
    delay = RETRY_DELAY_SECONDS * (1 + random.random())  # noqa: S311 - not a secret
    changes = {"step_count": step.turn.step_count, "attempts": step.turn.attempts}
    release_lease(step, write, not_before=write.now + timedelta(seconds=delay), **changes)
    write.after_commit(partial(enqueue_turn, step.turn_id, delay=delay))


def _block(write: SessionWrite, step: Step, stops: BudgetExceeded) -> None:
    changes = {"step_count": step.turn.step_count, "attempts": step.turn.attempts}
    turn = release_lease(step, write, **changes)
    error = block_error(stops.budget, stops.stopped, step.model)
    if turn.patience == 0:
        end_turn(write, turn, Turn.State.FAILED, error=error)
        return
    turn.waits_for = PRICE if stops.stopped.why == "price_unknown" else BUDGET
    turn.state, turn.error, turn.blocked_by, turn.least = Turn.State.WAITING, error, stops.budget, stops.stopped.least
    turn.save(update_fields=["state", "error", "waits_for", "blocked_by", "least"])
    write.emit("turn.updated", views.turn(turn))
    follow_turn(write, turn)


def continue_turn(*, actor: User, session: Session) -> Turn:
    """Resume a blocked turn; the budgets of `actor` are checked from now on. Raises Stale if no turn is blocked."""
    require(actor, Act.PROMPT, team_id=session.project.team_id)
    with session_write(session.pk) as write:
        turn = Turn.objects.filter(session=session, state=Turn.State.WAITING).exclude(waits_for="").first()
        if turn is None or not resume_turn(write, turn, payer=actor):
            raise Stale("This session is not waiting for a budget.", code=ErrorCode.NOT_STOPPED)
        return turn


def resume_turn(write: SessionWrite, turn: Turn, *, payer: User | None = None) -> bool:
    """Resume a turn that waits for a budget. `payer`, if given, is the person to whom the turn is billed from now on.
    Returns False if the turn does not wait for a budget."""
    changes: dict[str, Any] = {"moved_at": write.now, "waits_for": "", "error": None}
    if payer is not None:
        changes["payer"] = payer
    if not turn.waits_for or not move(turn, source=Turn.State.WAITING, target=Turn.State.RUNNING, **changes):
        return False
    write.emit("turn.updated", views.turn(turn))
    follow_turn(write, turn)
    write.after_commit(partial(enqueue_turn, turn.pk))
    return True


def resume_stopped(now: datetime, *, team_id: uuid.UUID | None = None) -> int:
    """Resume turns that wait for a budget or a price and can continue, and end turns that waited too long. With
    `team_id`, resume all of the team's waiting turns, because a budget or price has changed. Returns the number of
    changed turns."""
    rows = Turn.objects.filter(state=Turn.State.WAITING).exclude(waits_for="").select_related("blocked_by")
    if team_id is not None:
        rows = rows.filter(session__project__team_id=team_id)
    return sum(_resume(turn, now, asked=team_id is not None) for turn in rows.order_by("?")[:BATCH])


def _resume(turn: Turn, now: datetime, *, asked: bool) -> bool:
    is_over = now - turn.moved_at > (MAX_BLOCKED_TIME if turn.patience is None else timedelta(seconds=turn.patience))
    if not (asked or is_over or _has_room(turn, now)):
        return False
    with suppress(Missing, LeaseLost), session_write(turn.session_id) as write:
        if is_over and not asked and not _has_room(turn, now):
            return end_turn(write, turn, Turn.State.FAILED, error=turn.error)
        return resume_turn(write, turn)
    return False


def _has_room(turn: Turn, now: datetime) -> bool:
    """Return whether the budget that blocks the turn now has enough left for its next call. For a turn that waits for
    the price of its model, return whether the price may have been entered since."""
    budget = turn.blocked_by
    if budget is None or not budget.hard:
        return True
    if turn.waits_for == PRICE:
        changed_prices = Provider.objects.filter(team_id=budget.team_id, changed_at__gt=turn.moved_at)
        return budget.unknown_prices != Budget.UnknownPrices.REFUSE or changed_prices.exists()
    return room_of(budget, now) >= turn.least


def resume_team(team_id: uuid.UUID) -> int:
    return resume_stopped(timezone.now(), team_id=team_id)
