"""Whoever keeps guessing is kept out for a while: counted by axes for each account and address, told in our words."""

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

LIMIT: Final = 5
KEPT_OUT: Final = timedelta(minutes=15)


def account_tried(request: HttpRequest, credentials: Mapping[str, Any] | None) -> str:
    """The account that a try was about, as axes counts it."""
    given = credentials or {}
    return str(given.get("email") or given.get("username") or "").strip().lower()


def refuse(request: HttpRequest, _response: Any = None, credentials: Mapping[str, Any] | None = None) -> HttpResponse:
    seconds = seconds_left(account_tried(request, credentials), client_address(request))
    minutes = max(1, math.ceil(seconds / 60))
    error = TooMany(
        f"There were too many wrong passwords. Signing in to this account from here is paused for {minutes}"
        f" {'minute' if minutes == 1 else 'minutes'}.",
        code=ErrorCode.LOCKED_OUT,
        hint="Wait, or set a new password with 'Forgot the password?': that lets you in at once.",
    )
    response = error_response(request, error)
    response.headers["Retry-After"] = str(max(1, math.ceil(seconds)))
    return response


def seconds_left(account: str, address: str) -> float:
    """Until the tries of this account from this address are forgotten; the whole time if it is not known."""
    tries = AccessAttempt.objects.filter(ip_address=address)
    last = tries.filter(username=account).order_by("-attempt_time").first() if account else None
    last = last or tries.order_by("-attempt_time").first()
    if last is None:
        return KEPT_OUT.total_seconds()
    left: timedelta = last.attempt_time + KEPT_OUT - timezone.now()
    return max(0.0, left.total_seconds())


def let_in(account: str) -> None:
    """Forget all wrong passwords of an account, wherever they came from: who set a new one has shown who they are."""
    reset(username=account.lower())
