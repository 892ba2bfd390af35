"""Where a person is signed in: one row for each browser, with the time it was last seen, and the way to end it."""

from contextlib import suppress
from datetime import timedelta
from typing import Final

from allauth.usersessions.adapter import get_adapter
from allauth.usersessions.models import UserSession
from django.core.cache import cache
from django.http import HttpRequest
from django.utils import timezone
from redis.exceptions import RedisError

from agentsite.base.sqlite_lock import sqlite_write_lock
from agentsite.http.client_address import client_address
from agentsite.tenancy.models import User

# People want to know the day and the hour; a write for every request would cost more than that is worth.
SEEN_STEP: Final = timedelta(minutes=5)


def record_last_seen(request: HttpRequest) -> None:
    """This device is in use, and from where. Written down every few minutes."""
    key = request.session.session_key
    with suppress(OSError, RedisError):
        if key and cache.add(f"seen:{key}", 1, SEEN_STEP.total_seconds()):
            rows = UserSession.objects.filter(session_key=key)
            with sqlite_write_lock():
                rows.update(last_seen_at=timezone.now(), ip=client_address(request))


def sign_out_devices(user: User, *, but: str | None = None) -> None:
    """End every session of the person except the one with the key `but`."""
    rows = UserSession.objects.filter(user=user).exclude(session_key=but or "")
    with sqlite_write_lock():
        get_adapter().end_sessions(list(rows))
