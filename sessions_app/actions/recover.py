"""Find work that should be running but is not, and enqueue it again. Celery beat calls this every few seconds.

The task that is enqueued checks as usual whether there is work, so an unnecessary one does nothing. Nothing more is
added to long queues. If more rows are due than fit a batch, rows are chosen at random, so that the rows of a dead node
do not block the others.
"""

import uuid
from collections.abc import Iterable
from datetime import datetime, timedelta
from functools import cache
from typing import Final

from django.db.models import Q, QuerySet

from sessions_app.actions.budget_stops import resume_stopped
from sessions_app.actions.nodes import move_lost_workspaces
from sessions_app.actions.permissions import expire_requests
from sessions_app.actions.questions import expire_questions
from sessions_app.actions.reverts import wake_reverts
from sessions_app.actions.sub_agents import wake_parents
from sessions_app.models import ToolCall, Turn, Workspace
from sessions_app.push.deliveries import wake_pushes
from sessions_app.queueing import (
    AGENT_QUEUE,
    enqueue_call,
    enqueue_turn,
    enqueue_workspace,
    has_room,
    sandbox_queue,
)
from sessions_app.spending.reservations import settle_abandoned
from sessions_app.uploads.actions import wake_uploads
from sessions_app.webhooks.deliveries import wake_webhooks

WAKE_UP_TIMEOUT: Final = timedelta(seconds=5)  # a queued wake-up normally runs within milliseconds
BATCH: Final = 500


def recover(now: datetime) -> dict[str, int]:
    """Enqueue again all work that should be in progress but has no worker, and expire overdue requests and questions.
    Returns the number of affected rows by kind."""
    return {
        "lost": move_lost_workspaces(now),
        "turns": _wake_turns(now),
        "calls": _wake_calls(now),
        "children": wake_parents(),
        "workspaces": _wake_workspaces(now),
        "requests": expire_requests(now),
        "questions": expire_questions(now),
        "model_calls": settle_abandoned(now),
        "stopped": resume_stopped(now),
        "webhooks": wake_webhooks(now),
        "pushes": wake_pushes(now),
        "uploads": wake_uploads(now),
        "reverts": wake_reverts(),
    }


def _without_worker(now: datetime) -> Q:
    nobody = Q(lease_until__isnull=True, moved_at__lt=now - WAKE_UP_TIMEOUT) | Q(lease_until__lt=now)
    return nobody & (Q(not_before__isnull=True) | Q(not_before__lt=now))


def _wake_turns(now: datetime) -> int:
    """Enqueue turns whose next step should be running: turns in ready workspaces that are queued or running, without a
    worker or open calls."""
    idle = Turn.objects.filter(_without_worker(now), state__in=(Turn.State.QUEUED, Turn.State.RUNNING))
    ready = _without_open_calls(idle).filter(session__workspace__seeded=True)
    if not has_room(AGENT_QUEUE):
        return 0
    ids = list(ready.order_by("?").values_list("id", flat=True)[:BATCH])
    for turn_id in ids:
        enqueue_turn(turn_id)
    return len(ids)


def _without_open_calls(turns: QuerySet[Turn]) -> QuerySet[Turn]:
    busy = ToolCall.objects.filter(state__in=ToolCall.OPEN).values("turn_id")
    return turns.exclude(pk__in=busy)


def _wake_calls(now: datetime) -> int:
    started = Q(state__in=(ToolCall.State.PENDING, ToolCall.State.RUNNING))
    asking = Q(state=ToolCall.State.WAITING, lease_until__lt=now)
    lost = ToolCall.objects.filter(_without_worker(now), started | asking, session__workspace__seeded=True)
    found = _with_room(lost.order_by("?").values_list("id", "session__workspace__node")[:BATCH])
    for call_id, node in found:
        enqueue_call(call_id, node=node)
    return len(found)


def _with_room(rows: Iterable[tuple[uuid.UUID, str]]) -> list[tuple[uuid.UUID, str]]:
    """Return the pairs (id, node) for whose node the queue is not full."""
    room = cache(has_room)
    return [(row_id, node) for row_id, node in rows if room(sandbox_queue(node))]


def _wake_workspaces(now: datetime) -> int:
    """Enqueue the start of workspaces that turns wait for, that have no node yet, or that must be restored."""
    moved = Q(generation__gt=0) & ~Q(state=Workspace.State.FAILED)
    wanted = Q(sessions__turns__state=Turn.State.QUEUED) | Q(state=Workspace.State.NEW) | moved
    living = Workspace.objects.exclude(state=Workspace.State.REMOVING)
    stuck = living.filter(wanted, seeded=False, last_used_at__lt=now - WAKE_UP_TIMEOUT).order_by()
    rows = Workspace.objects.filter(pk__in=stuck.values("pk")).order_by("?")
    found = _with_room(rows.values_list("id", "node")[:BATCH])
    for workspace_id, node in found:
        enqueue_workspace(workspace_id, node=node)
    return len(found)
