"""Adapters that customize django-allauth: the sign-up rule, e-mail texts, client addresses, encrypted MFA secrets."""

from typing import Any, ClassVar, Final

import structlog
from allauth.account.adapter import DefaultAccountAdapter
from allauth.mfa.adapter import DefaultMFAAdapter
from allauth.socialaccount.adapter import DefaultSocialAccountAdapter
from allauth.usersessions.adapter import DefaultUserSessionsAdapter
from django.conf import settings
from django.http import HttpRequest

from agentsite.http.client_address import client_address
from agentsite.tenancy.accounts import sign_up
from agentsite.tenancy.accounts.emails import ANONYMOUS_EMAILS, render_email
from agentsite.tenancy.accounts.mfa_encryption import decrypt_secret, encrypt_secret
from agentsite.tenancy.actions.email_quota import may_send
from agentsite.tenancy.display_names import NAME_LENGTH, one_line
from agentsite.tenancy.mail import send_mail_later
from agentsite.tenancy.models import User
from agentsite.tenancy.person_updates import notify_people

USER_AGENT_LENGTH: Final = 200  # characters kept of the header User-Agent
logger = structlog.get_logger(__name__)


class AccountAdapter(DefaultAccountAdapter):
    """allauth's account adapter with the site's sign-up rule, error texts and e-mails.

    E-mails are stored and sent later, because only the beat process has the password of the mail server.
    """

    error_messages: ClassVar[dict[str, str]] = {
        **DefaultAccountAdapter.error_messages,
        "email_password_mismatch": "The e-mail address or the password is wrong.",
        "too_many_login_attempts": "There were too many attempts. Wait five minutes, then try again.",
        "enter_current_password": "The current password is wrong.",
        "incorrect_password": "The password is wrong.",
        "incorrect_code": "This code is wrong or was already used.",
        "invalid_or_expired_key": "This link is no longer valid. Request a new one.",
        "invalid_password_reset": "This link is no longer valid. Request a new one.",
        "email_taken": "Another account already uses this e-mail address.",
        "account_inactive": "This account is disabled. Contact the operators of this site.",
        "same_as_current": "This is already your e-mail address.",
    }

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        """Return whether the address in the request may sign up; without an address, whether sign-up is offered."""
        address = sign_up.address_sent_with(request)
        return sign_up.may_sign_up(address, sign_up.invitation_sent_with(request))

    def is_email_verified(self, request: HttpRequest, email: str) -> bool:
        """Return whether the request has the secret of the invitation link that was mailed to this address. The secret
        proves that the address is the person's own."""
        invitation = sign_up.invitation_sent_with(request)
        return invitation is not None and invitation.by_mail and invitation.email == email.lower()

    def save_user(self, request: HttpRequest, user: User, form: Any, commit: bool = True) -> User:
        user.name = one_line(str(form.cleaned_data.get("name") or ""))[:NAME_LENGTH]
        saved: User = super().save_user(request, user, form, commit=commit)
        return saved

    def send_mail(self, template_prefix: str, email: str, context: dict[str, Any]) -> None:
        if template_prefix in ANONYMOUS_EMAILS and not may_send(template_prefix, email):
            logger.warning("letter_not_sent", letter=template_prefix)
            return  # the response stays the same, so it does not reveal whether the account exists
        email_text = render_email(template_prefix, context, site=settings.SITE_URL)
        send_mail_later(to=email, subject=email_text.subject, text=email_text.text)

    def get_client_ip(self, request: HttpRequest) -> str:
        return client_address(request)

    def get_http_user_agent(self, request: HttpRequest) -> str:
        return str(request.META.get("HTTP_USER_AGENT", ""))[:USER_AGENT_LENGTH]


class FactorAdapter(DefaultMFAAdapter):
    """allauth's MFA adapter: secrets are encrypted at rest, and passkeys are bound to the host of the site."""

    error_messages: ClassVar[dict[str, str]] = {
        **DefaultMFAAdapter.error_messages,
        "incorrect_code": "This code is wrong or was already used.",
    }

    def encrypt(self, text: str) -> str:
        return encrypt_secret(text)

    def decrypt(self, encrypted_text: str) -> str:
        return decrypt_secret(encrypted_text)

    def get_public_key_credential_rp_entity(self) -> dict[str, str]:
        return {**super().get_public_key_credential_rp_entity(), "name": "agentsite"}


class ProviderAdapter(DefaultSocialAccountAdapter):
    """allauth's adapter for identity providers: applies the sign-up rule and copies the person's name."""

    def is_open_for_signup(self, request: HttpRequest, sociallogin: Any) -> bool:
        invitation = sign_up.invitation_behind(str(sociallogin.state.get("next") or ""))
        return sign_up.may_sign_up(sociallogin.user.email, invitation)

    def populate_user(self, request: HttpRequest, sociallogin: Any, data: dict[str, Any]) -> User:
        user: User = super().populate_user(request, sociallogin, data)
        user.name = one_line(str(data.get("name") or ""))[:NAME_LENGTH]
        return user


class DeviceAdapter(DefaultUserSessionsAdapter):
    """allauth's adapter for sessions: when browser sessions end, notifies their open WebSockets, which then close at
    once."""

    def end_sessions(self, sessions: Any) -> None:
        users = {session.user_id for session in sessions}
        super().end_sessions(sessions)
        notify_people(users)
