"""Turns that a budget stops: they wait, and go on when there is room.

A step that does not fit is not begun; nothing of the turn is lost. Where other calls only hold the room for the moment,
it is tried again shortly. Else the turn waits, says why, and goes on by itself when the budget is raised or its next
period begins (`resume_stopped`), or when a person says so (`continue_turn`), which asks the budgets anew.
"""

import random
import uuid
from contextlib import suppress
from datetime import datetime, timedelta
from functools import partial
from typing import Any, Final

from django.utils import timezone

from agentsite.base.errors import Missing, Stale
from agentsite.tenancy.access import require
from agentsite.tenancy.models import Provider
from agentsite.tenancy.roles import Act
from sessions_app.actions.turns import LeaseLost, Step, end_turn, follow_turn, give_back
from sessions_app.events import views
from sessions_app.events.log import SessionWrite, session_write
from sessions_app.models import Budget, Session, Turn
from sessions_app.models.transitions import move
from sessions_app.queueing import enqueue_turn
from sessions_app.spending.ledger import room_of
from sessions_app.spending.reservations import BudgetStops
from sessions_app.spending.texts import stop_error

BUDGET, PRICE = "budget", "price"
BUSY_FOR: Final = 1.0  # seconds until a budget that other calls hold is asked again, and up to as much more
LONGEST_STOP: Final = timedelta(days=30)
BATCH: Final = 500


def stop_turn(step: Step, stops: BudgetStops) -> None:
    """The step's call has no room. Raises LeaseLost."""
    with session_write(step.session_id) as write:
        if stops.stopped.why == "budget_busy":
            _try_again(write, step)
        elif Turn.objects.filter(pk=step.turn_id).exclude(payer=step.turn.payer_id).exists():
            _try_again(write, step)  # somebody else sent a prompt meanwhile, and pays from now on
        else:
            _wait(write, step, stops)


def _try_again(write: SessionWrite, step: Step) -> None:
    delay = BUSY_FOR * (1 + random.random())  # noqa: S311 - not a secret
    changes = {"step_count": step.turn.step_count, "attempts": step.turn.attempts}
    give_back(step, write, not_before=write.now + timedelta(seconds=delay), **changes)
    write.after_commit(partial(enqueue_turn, step.turn_id, delay=delay))


def _wait(write: SessionWrite, step: Step, stops: BudgetStops) -> None:
    changes = {"step_count": step.turn.step_count, "attempts": step.turn.attempts}
    turn = give_back(step, write, **changes)
    error = stop_error(stops.budget, stops.stopped, step.model)
    if turn.patience == 0:
        end_turn(write, turn, Turn.State.FAILED, error=error)
        return
    turn.waits_for = PRICE if stops.stopped.why == "price_unknown" else BUDGET
    turn.state, turn.error, turn.blocked_by, turn.least = Turn.State.WAITING, error, stops.budget, stops.stopped.least
    turn.save(update_fields=["state", "error", "waits_for", "blocked_by", "least"])
    write.emit("turn.updated", views.turn(turn))
    follow_turn(write, turn)


def continue_turn(*, actor: Any, session: Session) -> Turn:
    """Ask the budgets again, those of whoever says so. Raises Stale when the session waits for none."""
    require(actor, Act.PROMPT, team_id=session.project.team_id)
    with session_write(session.pk) as write:
        turn: Turn | None = Turn.objects.filter(session=session, state=Turn.State.WAITING).exclude(waits_for="").first()
        if turn is None or not go_on(write, turn, payer=actor):
            raise Stale("This session does not wait for a budget.", code="not_stopped")
        return turn


def go_on(write: SessionWrite, turn: Turn, *, payer: Any = None) -> bool:
    """`payer`: who pays from now on, when that is somebody else. False for a turn that waits for something else, or not
    at all."""
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
    """Let go on what has room by now, and end what has waited for too long. `team_id`: something changed there, so all
    of the team's ask again. How many there were."""
    rows = Turn.objects.filter(state=Turn.State.WAITING).exclude(waits_for="").select_related("blocked_by")
    if team_id is not None:
        rows = rows.filter(session__project__team_id=team_id)
    return sum(_resume(turn, now, asked=team_id is not None) for turn in rows.order_by("?")[:BATCH])


def _resume(turn: Turn, now: datetime, *, asked: bool) -> bool:
    is_over = now - turn.moved_at > (LONGEST_STOP if turn.patience is None else timedelta(seconds=turn.patience))
    if not (asked or is_over or _has_room(turn, now)):
        return False
    with suppress(Missing, LeaseLost), session_write(turn.session_id) as write:
        if is_over and not asked and not _has_room(turn, now):
            return end_turn(write, turn, Turn.State.FAILED, error=turn.error)
        return go_on(write, turn)
    return False


def _has_room(turn: Turn, now: datetime) -> bool:
    """Or, for a price, whether one may have been entered: then it is asked for again."""
    budget = turn.blocked_by
    if budget is None or not budget.hard:
        return True
    if turn.waits_for == PRICE:
        told = Provider.objects.filter(team_id=budget.team_id, changed_at__gt=turn.moved_at)
        return budget.unknown_prices != Budget.UnknownPrices.REFUSE or told.exists()
    return room_of(budget, now) >= turn.least


def resume_team(team_id: uuid.UUID) -> int:
    return resume_stopped(timezone.now(), team_id=team_id)
