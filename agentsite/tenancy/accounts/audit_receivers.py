"""Record account events in the site's audit log. The signals of allauth, axes and Django report the events."""

from typing import Any, Final

from allauth.account import signals as account
from allauth.account.internal.flows.login import get_authentication_records
from allauth.mfa import signals as mfa
from allauth.socialaccount import signals as social
from axes.signals import user_locked_out
from django.contrib.auth.signals import user_logged_out, user_login_failed
from django.db import transaction
from django.dispatch import Signal
from django.http import HttpRequest

from agentsite.base.sqlite_lock import sqlite_write_lock
from agentsite.http.client_address import client_address
from agentsite.tenancy import audit
from agentsite.tenancy.accounts.lockout import account_tried
from agentsite.tenancy.models import User

RECORDED: Final[tuple[tuple[Signal, str], ...]] = (
    (account.user_signed_up, "account.signed_up"),
    (account.user_logged_in, "account.signed_in"),
    (user_logged_out, "account.signed_out"),
    (account.password_changed, "account.password_changed"),
    (account.password_set, "account.password_changed"),
    (account.password_reset, "account.password_reset"),
    (account.email_changed, "account.address_changed"),
    (account.email_confirmed, "account.address_confirmed"),
    (mfa.authenticator_added, "account.factor_added"),
    (mfa.authenticator_removed, "account.factor_removed"),
    (mfa.authenticator_reset, "account.factor_renewed"),
    (mfa.authentication_failed, "account.factor_refused"),
    (social.social_account_added, "account.provider_linked"),
    (social.social_account_removed, "account.provider_unlinked"),
)


def connect() -> None:
    """Connect the receivers of this module to their signals. Called once, when the apps are ready."""
    for signal, action in RECORDED:
        signal.connect(_Recorder(action), weak=False, dispatch_uid=action + str(id(signal)))
    user_login_failed.connect(_record_failure, dispatch_uid="account.sign_in_failed")
    user_locked_out.connect(_record_lockout, dispatch_uid="account.locked_out")


def record(user: User | None, action: str, request: HttpRequest | None, **data: Any) -> None:
    """Record an account event in a transaction of its own, because the library has already committed the change."""
    facts = {"address": client_address(request) if request else "", **data}
    with sqlite_write_lock(), transaction.atomic():
        subject = user.public_id if user else ""
        audit.record(team_id=None, actor=user, action=action, subject=subject, data=facts)


class _Recorder:
    def __init__(self, action: str) -> None:
        self._action = action

    def __call__(self, sender: Any, *, request: HttpRequest | None = None, **given: Any) -> None:
        user = _person(given)
        if user is not None:
            record(user, self._action, request, **_facts(request, user, given))


def _person(given: dict[str, Any]) -> User | None:
    """Return the user that a signal is about, from the arguments of the signal.

    The argument with the user depends on the signal. A sign-out without a session has no user: None.
    """
    for owner in ("email_address", "socialaccount"):
        if owner in given and "user" not in given:
            given["user"] = given[owner].user
    user = given.get("user") or getattr(given.get("sociallogin"), "user", None)
    return user if isinstance(user, User) else None


def _facts(request: HttpRequest | None, user: User, given: dict[str, Any]) -> dict[str, Any]:
    facts: dict[str, Any] = {}
    if "authenticator" in given and given["authenticator"] is not None:
        facts["factor"] = given["authenticator"].type
    if provider := given.get("socialaccount") or getattr(given.get("sociallogin"), "account", None):
        facts["provider"] = provider.provider
    if "response" in given and request is not None:  # the sign-in is complete: record the methods used
        facts["by"] = sorted({_method(step) for step in get_authentication_records(request, user)})
    return facts


def _method(step: dict[str, Any]) -> str:
    return str(step.get("type") or step.get("method"))


def _record_failure(sender: Any, *, credentials: dict[str, Any], request: HttpRequest | None = None, **_: Any) -> None:
    """Record a failed sign-in. For an unknown account the typed address is not recorded, because people sometimes type
    their password into the wrong field."""
    tried = account_tried(request, credentials) if request else ""
    user = User.objects.filter(email=tried).first() if tried else None
    facts = {"address": client_address(request) if request else "", "known": user is not None}
    with sqlite_write_lock(), transaction.atomic():
        subject = user.public_id if user else ""
        audit.record(team_id=None, actor=None, action="account.sign_in_failed", subject=subject, data=facts)


def _record_lockout(sender: Any, *, request: HttpRequest, username: str, ip_address: str, **_: Any) -> None:
    user = User.objects.filter(email=username).first() if username else None
    with sqlite_write_lock(), transaction.atomic():
        subject = user.public_id if user else ""
        audit.record(
            team_id=None, actor=None, action="account.locked_out", subject=subject, data={"address": ip_address}
        )
