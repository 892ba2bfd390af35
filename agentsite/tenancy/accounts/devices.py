"""Devices of a person: one row for each signed-in browser, with the time and address of its last use."""

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

# `last_seen_at` is only shown to people, so this accuracy is enough. A write for every request would be expensive.
SEEN_STEP: Final = timedelta(minutes=5)


def record_last_seen(request: HttpRequest) -> None:
    """Save the time and client address of the browser session's last use, at most every SEEN_STEP."""
    key = request.session.session_key
    with suppress(OSError, RedisError):
        if key and cache.add(f"seen:{key}", 1, SEEN_STEP.total_seconds()):
            rows = UserSession.objects.filter(session_key=key)
            with sqlite_write_lock():
                rows.update(last_seen_at=timezone.now(), ip=client_address(request))


def sign_out_devices(user: User, *, except_key: str | None = None) -> None:
    """End all browser sessions of the user, except the one with the key `except_key`."""
    rows = UserSession.objects.filter(user=user).exclude(session_key=except_key or "")
    with sqlite_write_lock():
        get_adapter().end_sessions(list(rows))
