"""Who is asking: a signed-in browser (cookie and CSRF token) or a program (bearer token). Sets `request.auth`."""

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

from agentsite.errors_http import csrf_error
from agentsite.tenancy.accounts.devices import note_seen
from agentsite.tenancy.models import ApiToken, User
from agentsite.tenancy.secrets import hash_secret

# `last_used_at` tells a person which tokens are in use; a write for every request would cost more than that is worth.
_USED_AT_STEP: Final = timedelta(minutes=1)


def user_of_token(secret: str) -> User | None:
    """The owner of a token that is known, not expired, and whose owner may still sign in."""
    now = timezone.now()
    token = ApiToken.objects.alive(now).filter(secret_hash=hash_secret(secret), user__is_active=True)
    row = token.select_related("user").first()
    if row is None:
        return None
    unused = Q(last_used_at=None) | Q(last_used_at__lt=now - _USED_AT_STEP)
    if row.last_used_at is None or row.last_used_at < now - _USED_AT_STEP:
        ApiToken.objects.filter(unused, pk=row.pk).update(last_used_at=now)
    user: User = row.user
    return user


class BearerToken(HttpBearer):
    def authenticate(self, request: HttpRequest, token: str) -> User | None:
        return user_of_token(token)


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
        if not isinstance(user, User) or not user.is_active:
            return None
        note_seen(request)
        return user


SIGNED_IN: Final = [BearerToken(), SessionCookie()]


def is_still_signed_in(request: HttpRequest) -> bool:
    """For answers that last: whether what opened the request would still open it."""
    user = current_user(request)
    if "Authorization" in request.headers:
        return user_of_token(request.headers["Authorization"].partition(" ")[2]) == user
    return is_session_alive(request.session.session_key) and User.objects.filter(pk=user.pk, is_active=True).exists()


def is_session_alive(key: str | None) -> bool:
    """False after signing out, here or by a change of the password."""
    if key is None:
        return False
    opened: Any = SimpleNamespace(session=import_module(settings.SESSION_ENGINE).SessionStore(key))
    return get_user(opened).is_authenticated


def current_user(request: HttpRequest) -> User:
    """The user that `SIGNED_IN` found."""
    user: User = request.auth  # type: ignore[attr-defined]
    return user
