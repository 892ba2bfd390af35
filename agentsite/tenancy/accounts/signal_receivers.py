"""Side effects of password changes, sign-ins, sign-outs and sign-ups, whether by the web interface or by other code."""

from typing import Any

import structlog
from allauth.account import signals as account
from django.contrib.auth.signals import user_logged_in, user_logged_out
from django.http import HttpRequest

from agentsite.base.errors import SiteError
from agentsite.tenancy.accounts.devices import sign_out_devices
from agentsite.tenancy.accounts.emails import PASSWORD_RESET
from agentsite.tenancy.accounts.lockout import reset_lockout
from agentsite.tenancy.accounts.sign_up import invitation_sent_with, secret_sent_with
from agentsite.tenancy.actions.email_quota import reset_count
from agentsite.tenancy.actions.invitations import accept_invitation
from agentsite.tenancy.models import User
from agentsite.tenancy.person_updates import notify_person

logger = structlog.get_logger(__name__)


def connect() -> None:
    """Connect the receivers of this module to their signals. Called once, when the apps are ready."""
    for signal in (account.password_changed, account.password_set, account.password_reset):
        signal.connect(_sign_out_others, dispatch_uid="account.end_others")
    user_logged_in.connect(_reset_email_counts, dispatch_uid="account.reset_email_counts")
    user_logged_out.connect(_notify_sockets, dispatch_uid="account.notify_sockets")
    account.user_signed_up.connect(_join_team, dispatch_uid="account.join_team")


def _sign_out_others(sender: Any, *, request: HttpRequest, user: User, **_: Any) -> None:
    """After a password change, sign out all other devices, and reset the lockout and the e-mail count of the
    account."""
    sign_out_devices(user, except_key=request.session.session_key if request.user == user else None)
    reset_lockout(user.email)
    reset_count(PASSWORD_RESET, user.email)


def _reset_email_counts(sender: Any, *, user: User, **_: Any) -> None:
    """Reset the count of password-reset e-mails after a sign-in, which invalidates the links in these e-mails.

    Otherwise somebody who knows the password could use up the daily limit and keep the owner from setting a new
    password.
    """
    reset_count(PASSWORD_RESET, user.email)


def _notify_sockets(sender: Any, *, request: HttpRequest, user: User | None = None, **_: Any) -> None:
    """Notify the person's open WebSockets of the sign-out, so that they close.

    Django deletes the browser session only after this signal. A WebSocket that checks its browser session at once would
    still find it and stay open, so the browser session is deleted here first.
    """
    if user is not None:
        request.session.delete()
        notify_person(user.pk)


def _join_team(sender: Any, *, request: HttpRequest, user: User, **_: Any) -> None:
    """Add a new user to the team if they used the invitation link that was sent to their own address. Users of a
    forwarded link confirm their address first and then accept."""
    invitation = invitation_sent_with(request)
    if invitation is None or not invitation.by_mail or invitation.email != user.email:
        return
    try:
        accept_invitation(actor=user, secret=secret_sent_with(request))
    except SiteError as error:  # revoked meanwhile: the account exists, and its page explains this
        logger.warning("invitation_not_accepted", code=error.code)
