"""Periodically delete expired rows: browser sessions, stored responses, unused socket tickets, daily e-mail counts."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any, Final

import structlog
from django.contrib.sessions.models import Session as SignIn
from django.db.models import QuerySet

from agentsite.base.sqlite_lock import sqlite_write_lock
from agentsite.tenancy.actions.idempotency import expired_responses
from agentsite.tenancy.models import LetterCount, SocketTicket

BATCH: Final = 500  # rows that one transaction deletes
MAX_BATCHES: Final = 200  # of one kind in one run
logger = structlog.get_logger(__name__)


def delete_expired(now: datetime) -> dict[str, int]:
    """Delete expired rows, and return the number of deleted rows of each kind. Rows beyond MAX_BATCHES are deleted in
    the next run."""
    gone = {kind: _delete(rows) for kind, rows in _expired(now).items()}
    logger.info("swept", **gone)
    return gone


def _expired(now: datetime) -> Mapping[str, QuerySet[Any]]:
    return {
        "sign_ins": SignIn.objects.filter(expire_date__lt=now),
        "answers": expired_responses(now),
        "tickets": SocketTicket.objects.filter(expires_at__lte=now),
        "letter_counts": LetterCount.objects.filter(day__lt=(now - timedelta(days=1)).date()),
    }


def _delete(rows: QuerySet[Any]) -> int:
    """Delete at most `MAX_BATCHES` batches of the rows; return the number of deleted rows. Batches keep transactions
    short, so that other writers need not wait long."""
    gone = 0
    for _ in range(MAX_BATCHES):
        keys = list(rows.values_list("pk", flat=True)[:BATCH])
        with sqlite_write_lock():
            gone += rows.model.objects.filter(pk__in=keys).delete()[0] if keys else 0
        if len(keys) < BATCH:
            break
    return gone
