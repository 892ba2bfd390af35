"""Who is asking: a signed-in browser (cookie and CSRF token) or a program (bearer token). Sets `request.auth`."""

import math
from datetime import timedelta
from importlib import import_module
from types import SimpleNamespace
from typing import Any, Final

from django.conf import settings
from django.contrib.auth import get_user
from django.db.models import Q
from django.http import HttpRequest
from django.utils import timezone
from ninja.security import APIKeyCookie, HttpBearer
from ninja.utils import check_csrf

from agentsite.base.errors import NotAllowed
from agentsite.http.error_responses import csrf_error
from agentsite.tenancy.accounts.devices import note_seen
from agentsite.tenancy.models import ApiToken, User
from agentsite.tenancy.scopes import Scope, scope_of_operation
from agentsite.tenancy.secrets import hash_secret

# `last_used_at` tells a person which tokens are in use; a write for every request would cost more than that is worth.
_USED_AT_STEP: Final = timedelta(minutes=1)


def find_token(secret: str) -> ApiToken | None:
    """A token that is known, not expired, and whose owner is not shut out. Its user reaches as far as it does."""
    now = timezone.now()
    token = ApiToken.objects.alive(now).filter(secret_hash=hash_secret(secret), user__is_active=True)
    row = token.select_related("user").first()
    if row is None:
        return None
    unused = Q(last_used_at=None) | Q(last_used_at__lt=now - _USED_AT_STEP)
    if row.last_used_at is None or row.last_used_at < now - _USED_AT_STEP:
        ApiToken.objects.filter(unused, pk=row.pk).update(last_used_at=now)
    found: ApiToken = row
    found.user.reach = found.reach
    return found


def user_of_token(secret: str) -> User | None:
    found = find_token(secret)
    return None if found is None else found.user


class BearerToken(HttpBearer):
    """Sets `request.api_token`, and lets nobody by whose token lacks the operation's scope."""

    def authenticate(self, request: HttpRequest, token: str) -> User | None:
        found = find_token(token)
        if found is None:
            return None
        require_scope(found, scope_of_operation(getattr(request, "operation_id", "")))
        request.api_token = found  # type: ignore[attr-defined]
        return found.user


def require_scope(token: ApiToken | None, scope: Scope | None) -> None:
    """No token is a signed-in person, who has every scope. No scope is what only such a person does."""
    if token is None:
        return
    if scope is None:
        raise NotAllowed(
            "This is not done with a token.", code="not_with_token", hint="Sign in as the person and do it there."
        )
    if scope not in token.scopes:
        raise NotAllowed(
            f"This token does not have the scope '{scope}'.",
            code="scope_missing",
            hint=f"Use a token that has the scope '{scope}'; a token's scopes do not change.",
            fields={"scope": scope.value},
        )


class SessionCookie(APIKeyCookie):
    """Not asked when the request names a token: a bad token must not fall back on whoever is signed in."""

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
        note_seen(request)
        return user


SIGNED_IN: Final = [BearerToken(), SessionCookie()]


def is_still_signed_in(request: HttpRequest) -> bool:
    """For answers that last: whether what opened the request would still open it."""
    user = current_user(request)
    token = current_token(request)
    if token is not None:
        return is_token_alive(token)
    return is_session_alive(request.session.session_key) and User.objects.filter(pk=user.pk, is_active=True).exists()


def is_session_alive(key: str | None) -> bool:
    """False after signing out, here or by a change of the password."""
    if key is None:
        return False
    opened: Any = SimpleNamespace(session=import_module(settings.SESSION_ENGINE).SessionStore(key))
    return get_user(opened).is_authenticated


def is_token_alive(token: ApiToken) -> bool:
    return ApiToken.objects.alive().filter(pk=token.pk, user__is_active=True).exists()


def seconds_left(token: ApiToken | None) -> float:
    """Until it expires: for what must end then. Endless without an end."""
    if token is None or token.expires_at is None:
        return math.inf
    return max(0.0, (token.expires_at - timezone.now()).total_seconds())


def current_user(request: HttpRequest) -> User:
    """The user that `SIGNED_IN` found."""
    user: User = request.auth  # type: ignore[attr-defined]
    return user


def current_token(request: HttpRequest) -> ApiToken | None:
    """The token that the request came with; None for a signed-in browser."""
    token: ApiToken | None = getattr(request, "api_token", None)
    return token
