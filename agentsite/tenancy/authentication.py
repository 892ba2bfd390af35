"""Authentication of API requests: a browser session (cookie and CSRF token) or an API token. Sets `request.auth`."""

import math
from contextlib import suppress
from datetime import timedelta
from importlib import import_module
from types import SimpleNamespace
from typing import Any, Final

from allauth.usersessions.models import UserSession
from django.conf import settings
from django.contrib.auth import get_user
from django.core.cache import cache
from django.db.models import Q
from django.http import HttpRequest
from django.utils import timezone
from ninja.security import APIKeyCookie, HttpBearer
from ninja.utils import check_csrf
from redis.exceptions import RedisError

from agentsite.base.error_codes import ErrorCode
from agentsite.base.errors import NotAllowed
from agentsite.base.sqlite_lock import sqlite_write_lock
from agentsite.http.client_address import client_address
from agentsite.http.error_responses import csrf_error
from agentsite.tenancy.models import ApiToken, User
from agentsite.tenancy.scopes import Scope, scope_of_operation
from agentsite.tenancy.secrets import hash_secret

# `last_used_at` shows people which tokens are in use; it need not be exact, and a write per request is expensive.
_USED_AT_STEP: Final = timedelta(minutes=1)

# `last_seen_at` is only shown to people, so this accuracy is enough. A write for every request would be expensive.
_SEEN_STEP: Final = timedelta(minutes=5)


def find_token(secret: str) -> ApiToken | None:
    """Return the API token with this secret, if it has not expired and its user is active, or None.

    Its `user` carries the token restriction. Updates `last_used_at` at most once a minute.
    """
    now = timezone.now()
    token = ApiToken.objects.alive(now).filter(secret_hash=hash_secret(secret), user__is_active=True)
    row = token.select_related("user").first()
    if row is None:
        return None
    unused = Q(last_used_at=None) | Q(last_used_at__lt=now - _USED_AT_STEP)
    if row.last_used_at is None or row.last_used_at < now - _USED_AT_STEP:
        ApiToken.objects.filter(unused, pk=row.pk).update(last_used_at=now)
    row.user.token_restriction = row.token_restriction
    return row


class BearerToken(HttpBearer):
    """Authentication with an API token. Sets `request.api_token`, and refuses tokens without the operation's scope."""

    def authenticate(self, request: HttpRequest, token: str) -> User | None:
        found = find_token(token)
        if found is None:
            return None
        require_scope(found, scope_of_operation(getattr(request, "operation_id", "")))
        request.api_token = found  # type: ignore[attr-defined]
        return found.user


def require_scope(token: ApiToken | None, scope: Scope | None) -> None:
    """Raise NotAllowed if the token lacks the scope.

    Without a token, the request comes from a browser session, which has every scope. If `scope` is None, no token may
    use the operation.
    """
    if token is None:
        return
    if scope is None:
        raise NotAllowed(
            "This cannot be done with an API token.",
            code=ErrorCode.NOT_WITH_TOKEN,
            hint="Sign in with a browser and do it there.",
        )
    if scope not in token.scopes:
        raise NotAllowed(
            f"This API token does not have the scope '{scope}'.",
            code=ErrorCode.SCOPE_MISSING,
            hint=f"Use a token with the scope '{scope}'. The scopes of an existing token cannot be changed.",
            fields={"scope": scope.value},
        )


class SessionCookie(APIKeyCookie):
    """Authentication with a browser session.

    It ignores requests with an Authorization header, so that an invalid token never falls back to the session.
    """

    param_name = settings.SESSION_COOKIE_NAME

    def __call__(self, request: HttpRequest) -> User | None:
        if "Authorization" in request.headers:
            return None
        user = self.authenticate(request, None)
        if user is not None and check_csrf(request) is not None:
            raise csrf_error()
        return user

    def authenticate(self, request: HttpRequest, key: str | None) -> User | None:
        user = get_user(request)
        if not isinstance(user, User) or not user.is_active or user.is_service:
            return None
        record_last_seen(request)
        return user


def record_last_seen(request: HttpRequest) -> None:
    """Save the time and client address of the browser session's last use, at most once per `_SEEN_STEP`."""
    key = request.session.session_key
    with suppress(OSError, RedisError):
        if key and cache.add(f"seen:{key}", 1, _SEEN_STEP.total_seconds()):
            rows = UserSession.objects.filter(session_key=key)
            with sqlite_write_lock():
                rows.update(last_seen_at=timezone.now(), ip=client_address(request))


SIGNED_IN: Final = [BearerToken(), SessionCookie()]


def is_still_signed_in(request: HttpRequest) -> bool:
    """Return whether the token or browser session of a long-lived request is still valid."""
    token = current_token(request)
    return is_session_alive(request.session.session_key) if token is None else is_token_alive(token)


def is_session_alive(key: str | None) -> bool:
    """Return whether the browser session still exists and its user is active; a sign-out or password change ends it."""
    if key is None:
        return False
    opened: Any = SimpleNamespace(session=import_module(settings.SESSION_ENGINE).SessionStore(key))
    return get_user(opened).is_authenticated


def is_token_alive(token: ApiToken) -> bool:
    return ApiToken.objects.alive().filter(pk=token.pk, user__is_active=True).exists()


def seconds_left(token: ApiToken | None) -> float:
    """Return the seconds until the token expires; infinity without a token or an expiry."""
    if token is None or token.expires_at is None:
        return math.inf
    return max(0.0, (token.expires_at - timezone.now()).total_seconds())


def current_user(request: HttpRequest) -> User:
    """Return the authenticated user of the request."""
    user: User = request.auth  # type: ignore[attr-defined]
    return user


def current_token(request: HttpRequest) -> ApiToken | None:
    """Return the API token of the request; None for a browser session."""
    token: ApiToken | None = getattr(request, "api_token", None)
    return token
