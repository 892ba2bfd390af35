"""Devices of a person: one row for each signed-in browser, with the time and address of its last use."""

from allauth.usersessions.adapter import get_adapter
from allauth.usersessions.models import UserSession

from agentsite.base.sqlite_lock import sqlite_write_lock
from agentsite.tenancy.models import User


def sign_out_devices(user: User, *, except_key: str | None = None) -> None:
    """End all browser sessions of the user except the session with the key `except_key`."""
    rows = UserSession.objects.filter(user=user).exclude(session_key=except_key or "")
    with sqlite_write_lock():
        get_adapter().end_sessions(list(rows))
