"""What follows from a new password, a sign-out and a sign-up, whichever way it was done."""

from typing import Any

import structlog
from allauth.account import signals as account
from django.contrib.auth.signals import user_logged_in, user_logged_out
from django.http import HttpRequest

from agentsite.base.errors import SiteError
from agentsite.tenancy.accounts.devices import end_devices
from agentsite.tenancy.accounts.emails import PASSWORD_RESET
from agentsite.tenancy.accounts.lockout import let_in
from agentsite.tenancy.accounts.sign_up import invitation_sent_with, secret_sent_with
from agentsite.tenancy.actions.email_quota import reset_count
from agentsite.tenancy.actions.invitations import accept_invitation
from agentsite.tenancy.models import User
from agentsite.tenancy.person_updates import tell_person

logger = structlog.get_logger(__name__)


def connect() -> None:
    """Once, when the apps are ready."""
    for signal in (account.password_changed, account.password_set, account.password_reset):
        signal.connect(_end_others, dispatch_uid="account.end_others")
    user_logged_in.connect(_reset_email_counts, dispatch_uid="account.count_resets_anew")
    user_logged_out.connect(_tell_sockets, dispatch_uid="account.tell_sockets")
    account.user_signed_up.connect(_join_team, dispatch_uid="account.join_team")


def _end_others(sender: Any, *, request: HttpRequest, user: User, **_: Any) -> None:
    """A new password ends every other session, and all that was counted against the account."""
    end_devices(user, but=request.session.session_key if request.user == user else None)
    let_in(user.email)
    reset_count(PASSWORD_RESET, user.email)


def _reset_email_counts(sender: Any, *, user: User, **_: Any) -> None:
    """Signing in ends the links that were sent before. Who knows the password could have the day's letters sent first,
    and keep the owner from setting another."""
    reset_count(PASSWORD_RESET, user.email)


def _tell_sockets(sender: Any, *, user: User | None = None, **_: Any) -> None:
    if user is not None:
        tell_person(user.pk)


def _join_team(sender: Any, *, request: HttpRequest, user: User, **_: Any) -> None:
    """Add a new user to the team if they used the invitation link that was sent to their own address. Users of a
    forwarded link confirm their address first and then accept."""
    invitation = invitation_sent_with(request)
    if invitation is None or not invitation.by_mail or invitation.email != user.email:
        return
    try:
        accept_invitation(actor=user, secret=secret_sent_with(request))
    except SiteError as error:  # taken back in this moment: the account is there, and its page says so
        logger.warning("invitation_not_accepted", code=error.code)
