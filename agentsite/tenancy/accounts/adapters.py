"""What allauth asks us: may one sign up, what do letters say, where does a request come from, how are secrets kept."""

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
from agentsite.tenancy.accounts.emails import ASKED_FOR, write_letter
from agentsite.tenancy.accounts.mfa_encryption import open_secret, seal_secret
from agentsite.tenancy.actions.email_quota import may_send
from agentsite.tenancy.display_names import NAME_LENGTH, one_line
from agentsite.tenancy.mail import send_mail_later
from agentsite.tenancy.models import User
from agentsite.tenancy.person_updates import tell_person

AGENT_LENGTH: Final = 200
logger = structlog.get_logger(__name__)


class AccountAdapter(DefaultAccountAdapter):
    """Letters are sent later, by the process that may; sentences are ours."""

    error_messages: ClassVar[dict[str, str]] = {
        **DefaultAccountAdapter.error_messages,
        "email_password_mismatch": "The e-mail address and the password do not belong together.",
        "too_many_login_attempts": "There were too many tries. Wait five minutes, then try again.",
        "enter_current_password": "This is not your current password.",
        "incorrect_password": "This is not your password.",
        "incorrect_code": "This code is not right, or was used already.",
        "invalid_or_expired_key": "This link is not valid any more. Ask for a new one.",
        "invalid_password_reset": "This link is not valid any more. Ask for a new one.",
        "email_taken": "Another account has this address.",
        "account_inactive": "This account is switched off. Ask the people who run this site.",
        "same_as_current": "This is your address already.",
    }

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        """Asked with a sign-up that carries an address, and without one for what the first page offers."""
        address = sign_up.address_sent_with(request)
        return sign_up.may_sign_up(address, sign_up.invitation_sent_with(request))

    def is_email_verified(self, request: HttpRequest, email: str) -> bool:
        """Whoever shows the link that was mailed to the address has shown that it is theirs."""
        invitation = sign_up.invitation_sent_with(request)
        return invitation is not None and invitation.by_mail and invitation.email == email.lower()

    def save_user(self, request: HttpRequest, user: User, form: Any, commit: bool = True) -> User:
        user.name = one_line(str(form.cleaned_data.get("name") or ""))[:NAME_LENGTH]
        saved: User = super().save_user(request, user, form, commit=commit)
        return saved

    def send_mail(self, template_prefix: str, email: str, context: dict[str, Any]) -> None:
        if template_prefix in ASKED_FOR and not may_send(template_prefix, email):
            logger.warning("letter_not_sent", letter=template_prefix)
            return  # and the answer is the same: it tells nobody anything
        letter = write_letter(template_prefix, context, site=settings.SITE_URL)
        send_mail_later(to=email, subject=letter.subject, text=letter.text)

    def get_client_ip(self, request: HttpRequest) -> str:
        return client_address(request)

    def get_http_user_agent(self, request: HttpRequest) -> str:
        return str(request.META.get("HTTP_USER_AGENT", ""))[:AGENT_LENGTH]


class FactorAdapter(DefaultMFAAdapter):
    """Second factors: sealed at rest, and bound to the address that people use."""

    error_messages: ClassVar[dict[str, str]] = {
        **DefaultMFAAdapter.error_messages,
        "incorrect_code": "This code is not right, or was used already.",
    }

    def encrypt(self, text: str) -> str:
        return seal_secret(text)

    def decrypt(self, encrypted_text: str) -> str:
        return open_secret(encrypted_text)

    def get_public_key_credential_rp_entity(self) -> dict[str, str]:
        return {**super().get_public_key_credential_rp_entity(), "name": "agentsite"}


class ProviderAdapter(DefaultSocialAccountAdapter):
    """People who come through a provider of identities: the same rule for new ones, and their name as it is there."""

    def is_open_for_signup(self, request: HttpRequest, sociallogin: Any) -> bool:
        invitation = sign_up.invitation_behind(str(sociallogin.state.get("next") or ""))
        return sign_up.may_sign_up(sociallogin.user.email, invitation)

    def populate_user(self, request: HttpRequest, sociallogin: Any, data: dict[str, Any]) -> User:
        user: User = super().populate_user(request, sociallogin, data)
        user.name = one_line(str(data.get("name") or ""))[:NAME_LENGTH]
        return user


class DeviceAdapter(DefaultUserSessionsAdapter):
    """Ended devices are gone at once: their sockets are told to look."""

    def end_sessions(self, sessions: Any) -> None:
        users = {session.user_id for session in sessions}
        super().end_sessions(sessions)
        for user_id in users:
            tell_person(user_id)
