"""Lease push notices to workers, and record the result of each attempt: accepted, to be tried again, or given up.

If a worker dies, its lease expires and the notice is sent again. The push service and the browser replace a notice by a
newer one of the same topic, so people see it once.
"""

import random
import uuid
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from django.db import transaction
from django.db.models import F, Q, QuerySet
from django.utils import timezone

from agentsite.base.retry_after import seconds_to_wait
from agentsite.base.sqlite_lock import sqlite_write_lock
from sessions_app.push.models import PushBrowser, PushNotice
from sessions_app.queueing import AGENT_QUEUE, enqueue_push, has_room

LEASE: Final = timedelta(seconds=60)
GIVE_UP_AFTER: Final = timedelta(days=1)
FIRST_WAIT: Final = timedelta(seconds=10)
FACTOR: Final = 3
MAX_WAIT: Final = timedelta(hours=1)
MAX_ASKED_WAIT: Final = timedelta(hours=6)  # that a push service may ask for
BATCH: Final = 200
GONE: Final = (404, 410)
TOO_MANY: Final = 429


@dataclass(frozen=True, slots=True)
class PushOutcome:
    """The result of one attempt to send a notice. If there was no response, `status` is 0 and `problem` says why.
    `is_over`: the browser session has ended."""

    status: int
    problem: str = ""
    retry_after: str = ""
    is_over: bool = False

    @property
    def is_accepted(self) -> bool:
        return 200 <= self.status < 300

    @property
    def is_gone(self) -> bool:
        return self.is_over or self.status in GONE

    @property
    def may_pass(self) -> bool:
        """True if the attempt failed for a reason that may be temporary, so that a later attempt may succeed."""
        return self.status in (0, 408, TOO_MANY) or self.status >= 500


def claim(notice_id: uuid.UUID, now: datetime) -> PushNotice | None:
    """Lease and return the notice if it is due; None if it is not due, or if another worker has it."""
    mine = due_notices(now).filter(pk=notice_id)
    with sqlite_write_lock():
        if not mine.update(lease_until=now + LEASE, attempts=F("attempts") + 1):
            return None
    return PushNotice.objects.select_related("browser__user").filter(pk=notice_id).first()


def due_notices(now: datetime) -> QuerySet[PushNotice]:
    return PushNotice.objects.filter(Q(lease_until=None) | Q(lease_until__lte=now), due_at__lte=now)


def settle(notice: PushNotice, outcome: PushOutcome, now: datetime) -> None:
    """Record the outcome of an attempt to send the notice. If the browser no longer exists at its push service, or its
    session has ended, delete the browser's row."""
    browser = PushBrowser.objects.filter(pk=notice.browser_id)
    row = PushNotice.objects.filter(pk=notice.pk)
    with sqlite_write_lock(), transaction.atomic():
        if outcome.is_gone:
            browser.delete()
        elif outcome.is_accepted:
            row.delete()
            browser.update(used_at=now, problem="")
        else:
            browser.update(problem=_problem(outcome)[:300])
            again = _next_try(notice, outcome, now)
            if again is None:
                row.delete()
            else:
                row.update(due_at=again, lease_until=None)


def _next_try(notice: PushNotice, outcome: PushOutcome, now: datetime) -> datetime | None:
    """Return the time of the next attempt to send the notice; None to give up."""
    if not outcome.may_pass:
        return None
    spread = 0.8 + 0.4 * random.random()  # noqa: S311 - spreads load, keeps no secret
    wait = min(FIRST_WAIT * FACTOR ** min(notice.attempts - 1, 10), MAX_WAIT) * spread
    asked = asked_wait(outcome.retry_after, now)
    again = now + max(wait, asked)
    return again if again < notice.created_at + GIVE_UP_AFTER else None


def asked_wait(text: str, now: datetime) -> timedelta:
    """Return the wait that a header `Retry-After` asks for, as a number of seconds or a date; zero if the text is
    neither. The wait is at most `MAX_ASKED_WAIT`."""
    try:
        return min(timedelta(seconds=seconds_to_wait(text, now) or 0.0), MAX_ASKED_WAIT)
    except OverflowError:
        return timedelta(0)


def _problem(outcome: PushOutcome) -> str:
    if outcome.status == 0:
        return outcome.problem
    if outcome.status == TOO_MANY:
        return "The push service of this browser gets too many notices. The next one is sent later."
    if outcome.status >= 500:
        return f"The push service of this browser is down (status {outcome.status}). The notice is sent again."
    return (
        f"The push service of this browser refused the last notice (status {outcome.status})."
        " Remove this browser, and turn push notices on in it again."
    )


def wake_pushes(now: datetime) -> int:
    """Enqueue the due notices that no worker has acquired, at most `BATCH`. Returns the number of enqueued notices."""
    ids = list(due_notices(now).order_by("due_at").values_list("pk", flat=True)[:BATCH])
    if not ids or not has_room(AGENT_QUEUE):
        return 0
    for notice_id in ids:
        enqueue_push(notice_id)
    return len(ids)


def delete_old_notices(now: datetime) -> None:
    """Delete the notices that could not be sent for more than a day after they were due."""
    with sqlite_write_lock():
        PushNotice.objects.filter(due_at__lt=now - GIVE_UP_AFTER, created_at__lt=now - GIVE_UP_AFTER).delete()


def seconds_to_live(notice: PushNotice) -> int:
    """Return the number of seconds for which the push service keeps the notice while the browser is not reachable."""
    left = max(notice.created_at, notice.due_at) + GIVE_UP_AFTER - timezone.now()
    return max(60, int(left.total_seconds()))
