"""Delete what is over and that nobody deletes: ended sign-ins, answers that were kept a day, tickets nobody used, and
how many letters went out on days that have passed."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any, Final

import structlog
from django.contrib.sessions.models import Session as SignIn
from django.db.models import QuerySet

from agentsite.base.sqlite_lock import writers_turn
from agentsite.tenancy.actions.idempotency import over_answers
from agentsite.tenancy.models import LetterCount, SocketTicket

BATCH: Final = 500
MOST_BATCHES: Final = 200  # of one kind in one sweep
logger = structlog.get_logger(__name__)


def sweep_over(now: datetime) -> dict[str, int]:
    """How many of each went. What is too much for one sweep goes with the next."""
    gone = {kind: _delete(rows) for kind, rows in _over(now).items()}
    logger.info("swept", **gone)
    return gone


def _over(now: datetime) -> Mapping[str, QuerySet[Any]]:
    return {
        "sign_ins": SignIn.objects.filter(expire_date__lt=now),
        "answers": over_answers(now),
        "tickets": SocketTicket.objects.filter(expires_at__lte=now),
        "letter_counts": LetterCount.objects.filter(day__lt=(now - timedelta(days=1)).date()),
    }


def _delete(rows: QuerySet[Any]) -> int:
    """In short transactions, so that nobody waits long for one."""
    gone = 0
    for _ in range(MOST_BATCHES):
        keys = list(rows.values_list("pk", flat=True)[:BATCH])
        with writers_turn():
            gone += rows.model.objects.filter(pk__in=keys).delete()[0] if keys else 0
        if len(keys) < BATCH:
            break
    return gone
