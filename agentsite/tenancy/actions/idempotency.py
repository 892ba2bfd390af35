"""Idempotency keys: execute a request once, and replay the stored response for 24 hours.

The response is stored in the transaction of the change.
"""

import hashlib
import hmac
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from django.conf import settings
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone
from nacl.secret import SecretBox

from agentsite.base.error_codes import ErrorCode
from agentsite.base.errors import SiteError, Stale
from agentsite.base.sqlite_lock import sqlite_write_lock
from agentsite.tenancy.models import RememberedAnswer, User

RESPONSE_TTL: Final = timedelta(hours=24)


@dataclass(frozen=True, slots=True)
class StoredResponse:
    """A response to a request with an idempotency key. `replayed` is true if an earlier request has stored it and
    nothing was executed now."""

    status: int
    content: bytes
    replayed: bool = False


def do_once(*, actor: User, key: str, request: bytes, work: Callable[[], StoredResponse]) -> StoredResponse:
    """Execute `work` on the actor's first request with this key, and return its stored response for the next 24 hours.

    `request` identifies the request; raises Stale if the key was used for another request. A concurrent duplicate
    waits. Errors are not stored: a failed request has changed nothing and can be repeated with the same key.
    """
    failure: SiteError | None = None
    with sqlite_write_lock(), transaction.atomic():
        row = _claim(actor, key, request)
        if row.status:
            return StoredResponse(row.status, _box(key).decrypt(bytes(row.answer)), replayed=True)
        try:
            answer = work()
        except SiteError as error:  # keep rows that `work` wrote before it failed, but let the key be used again
            row.delete()
            failure = error
        else:
            row.status, row.answer = answer.status, bytes(_box(key).encrypt(answer.content))
            row.save(update_fields=["status", "answer"])
    if failure is not None:
        raise failure
    return answer


def expired_responses(now: datetime) -> QuerySet[RememberedAnswer]:
    """Return the stored responses that are older than RESPONSE_TTL."""
    return RememberedAnswer.objects.filter(made_at__lte=now - RESPONSE_TTL)


def _claim(actor: User, key: str, request: bytes) -> RememberedAnswer:
    """Get or create the row of an actor's idempotency key. Raises Stale if the key was used for another request."""
    now = timezone.now()
    mine = RememberedAnswer.objects.filter(user=actor, key_hash=_digest("key", key.encode()))
    mine.filter(made_at__lte=now - RESPONSE_TTL).delete()

    request_hash = _digest("request", request)
    row, _ = mine.get_or_create(
        defaults={"request_hash": request_hash, "made_at": now}, user=actor, key_hash=_digest("key", key.encode())
    )
    if not hmac.compare_digest(row.request_hash, request_hash):
        raise Stale(
            "This Idempotency-Key was already used for a different request.",
            code=ErrorCode.IDEMPOTENCY_KEY_REUSED,
            hint="Use a new key for each operation, and the same key only to retry the same request.",
        )
    return row


def _digest(purpose: str, content: bytes) -> str:
    secret = hashlib.sha256(f"remembered {purpose} {settings.SECRET_KEY}".encode()).digest()
    return hmac.new(secret, content, hashlib.sha256).hexdigest()


def _box(key: str) -> SecretBox:
    return SecretBox(bytes.fromhex(_digest("answer", key.encode())))
