"""Doing a thing once, however often it is asked for: the answer is kept beside the change, in its transaction."""

import hashlib
import hmac
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from django.conf import settings
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone
from nacl.secret import SecretBox

from agentsite.base.error_codes import ErrorCode
from agentsite.base.errors import SiteError, Stale
from agentsite.base.sqlite_lock import writers_turn
from agentsite.tenancy.models import RememberedAnswer

KEPT: Final = timedelta(hours=24)


@dataclass(frozen=True, slots=True)
class Answer:
    """`replayed`: nothing was done now, this is what was answered then."""

    status: int
    content: bytes
    replayed: bool = False


def do_once(*, actor: Any, key: str, request: bytes, work: Callable[[], Answer]) -> Answer:
    """What `work` answers the first time the actor asks with this key, and the same again for a day. `request` is all
    that the request says; Stale when it said something else under this key. A twin that comes meanwhile waits.

    What fails is not remembered: it has changed nothing, and may be asked again."""
    failure: SiteError | None = None
    with writers_turn(), transaction.atomic():
        row = _claim(actor, key, request)
        if row.status:
            return Answer(row.status, _box(key).decrypt(bytes(row.answer)), replayed=True)
        try:
            answer = work()
        except SiteError as error:  # what it left behind on purpose stays; the key is free again
            row.delete()
            failure = error
        else:
            row.status, row.answer = answer.status, bytes(_box(key).encrypt(answer.content))
            row.save(update_fields=["status", "answer"])
    if failure is not None:
        raise failure
    return answer


def over_answers(now: datetime) -> QuerySet[RememberedAnswer]:
    """Those that were kept long enough."""
    return RememberedAnswer.objects.filter(made_at__lte=now - KEPT)


def _claim(actor: Any, key: str, request: bytes) -> RememberedAnswer:
    """The row of this key, held by this transaction. Raises Stale."""
    now = timezone.now()
    mine = RememberedAnswer.objects.filter(user=actor, key_hash=_digest("key", key.encode()))
    mine.filter(made_at__lte=now - KEPT).delete()
    said = _digest("request", request)
    row, _ = mine.get_or_create(
        defaults={"request_hash": said, "made_at": now}, user=actor, key_hash=_digest("key", key.encode())
    )
    if not hmac.compare_digest(row.request_hash, said):
        raise Stale(
            "This Idempotency-Key was used for another request.",
            code=ErrorCode.IDEMPOTENCY_KEY_REUSED,
            hint="Use a new key for each thing that you want done, and the same only to send a request again.",
        )
    return row


def _digest(purpose: str, content: bytes) -> str:
    secret = hashlib.sha256(f"remembered {purpose} {settings.SECRET_KEY}".encode()).digest()
    return hmac.new(secret, content, hashlib.sha256).hexdigest()


def _box(key: str) -> SecretBox:
    return SecretBox(bytes.fromhex(_digest("answer", key.encode())))
