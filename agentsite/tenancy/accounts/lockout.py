"""Lockout after repeated wrong passwords, counted by django-axes for each account and client address."""

import math
from collections.abc import Mapping
from datetime import timedelta
from typing import Any, Final

from axes.models import AccessAttempt
from axes.utils import reset
from django.http import HttpRequest, HttpResponse
from django.utils import timezone

from agentsite.base.error_codes import ErrorCode
from agentsite.base.errors import TooMany
from agentsite.http.client_address import client_address
from agentsite.http.error_responses import error_response

LOCKOUT_DURATION: Final = timedelta(minutes=15)


def account_tried(request: HttpRequest, credentials: Mapping[str, Any] | None) -> str:
    """Return the lower-case e-mail address of a sign-in attempt, which axes uses as the account name."""
    given = credentials or {}
    return str(given.get("email") or given.get("username") or "").strip().lower()


def refuse(request: HttpRequest, _response: Any = None, credentials: Mapping[str, Any] | None = None) -> HttpResponse:
    """Return the 429 response for a locked account, with the remaining time in `Retry-After`. Called by django-axes."""
    seconds = seconds_left(account_tried(request, credentials), client_address(request))
    minutes = max(1, math.ceil(seconds / 60))
    error = TooMany(
        f"There were too many wrong passwords. Signing in to this account from here is paused for {minutes}"
        f" {'minute' if minutes == 1 else 'minutes'}.",
        code=ErrorCode.LOCKED_OUT,
        hint="Wait, or set a new password with 'Forgot the password?' to sign in at once.",
    )
    response = error_response(request, error)
    response.headers["Retry-After"] = str(max(1, math.ceil(seconds)))
    return response


def seconds_left(account: str, address: str) -> float:
    """Return the remaining seconds of the lockout; its full length if no attempt is recorded."""
    tries = AccessAttempt.objects.filter(ip_address=address)
    last = tries.filter(username=account).order_by("-attempt_time").first() if account else None
    last = last or tries.order_by("-attempt_time").first()
    if last is None:
        return LOCKOUT_DURATION.total_seconds()
    left: timedelta = last.attempt_time + LOCKOUT_DURATION - timezone.now()
    return max(0.0, left.total_seconds())


def reset_lockout(account: str) -> None:
    """Reset the lockout of an account for all client addresses, as after a password change."""
    reset(username=account.lower())
