"""Subjects and texts of all account e-mails, by the template name that allauth uses for each."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

_NOT_YOU: Final = (
    "If this was not you, set a new password at {site}/forgot-password at once. Then sign out all devices that you do"
    " not recognize on your account page."
)


@dataclass(frozen=True, slots=True)
class EmailText:
    subject: str
    text: str


def _notice(subject: str, text: str) -> EmailText:
    """Build the e-mail about a change of an account. Its last sentence says what to do if the reader did not make the
    change."""
    return EmailText(subject, f"{text}\n\n{_NOT_YOU}")


PASSWORD_RESET: Final = "account/email/password_reset_key"

EMAILS: Final[Mapping[str, EmailText]] = {
    "account/email/email_confirmation_signup": EmailText(
        "Confirm your e-mail address",
        "You signed up at {site}.\n\nOpen this link to confirm your e-mail address:\n\n{activate_url}\n\n"
        "If you did not sign up, ignore this e-mail. Nobody can sign in to the account until the address is confirmed.",
    ),
    "account/email/email_confirmation": EmailText(
        "Confirm your e-mail address",
        "This e-mail address was entered for an account at {site}.\n\nOpen this link to confirm that the address is"
        " yours:\n\n{activate_url}\n\nIf you did not enter it, ignore this e-mail.",
    ),
    PASSWORD_RESET: EmailText(
        "Set a new password",
        "Somebody requested a new password for your account at {site}.\n\nOpen this link to set one. The link works"
        " once and expires after one day:\n\n{password_reset_url}\n\nIf this was not you, ignore this e-mail. Your"
        " password has not changed.",
    ),
    "account/email/unknown_account": EmailText(
        "There is no account with this e-mail address",
        "Somebody requested a new password at {site} for this e-mail address, but no account uses it.\n\nIf this was"
        " you, try the address that you signed up with. Otherwise, ignore this e-mail.",
    ),
    "account/email/account_already_exists": EmailText(
        "You already have an account",
        "Somebody tried to sign up at {site} with this e-mail address, but it already has an account.\n\nIf this was"
        " you, sign in instead. If you forgot your password, set a new one at {password_reset_url}. To use another"
        " sign-in method, sign in first and link it on your account page.",
    ),
    "account/email/password_changed": _notice("Your password was changed", "The password of your account was changed."),
    "account/email/password_reset": _notice("Your password was reset", "A new password was set for your account."),
    "account/email/password_set": _notice("A password was added to your account", "Your account now has a password."),
    "account/email/email_changed": _notice(
        "Your e-mail address was changed",
        "The e-mail address of your account was changed from {from_email} to {to_email}.",
    ),
    "account/email/email_confirm": _notice("Your e-mail address is confirmed", "This e-mail address was confirmed."),
    "account/email/email_deleted": _notice(
        "An e-mail address was removed", "The e-mail address {deleted_email} was removed from your account."
    ),
    "mfa/email/totp_activated": _notice(
        "Authenticator app turned on", "You now need a code from an authenticator app to sign in to your account."
    ),
    "mfa/email/totp_deactivated": _notice(
        "Authenticator app turned off",
        "You no longer need a code from an authenticator app to sign in to your account.",
    ),
    "mfa/email/recovery_codes_generated": _notice(
        "New recovery codes", "New recovery codes were created for your account. The old codes no longer work."
    ),
    "mfa/email/webauthn_added": _notice("A passkey was added", "A passkey or security key was added to your account."),
    "mfa/email/webauthn_removed": _notice(
        "A passkey was removed", "A passkey or security key was removed from your account."
    ),
    "socialaccount/email/account_connected": _notice(
        "A sign-in method was added", "{provider} can now be used to sign in to your account."
    ),
    "socialaccount/email/account_disconnected": _notice(
        "A sign-in method was removed", "{provider} can no longer be used to sign in to your account."
    ),
}

ANONYMOUS_EMAILS: Final = frozenset(
    {
        "account/email/email_confirmation_signup", "account/email/email_confirmation",
        PASSWORD_RESET, "account/email/unknown_account", "account/email/account_already_exists",
    }
)  # fmt: skip
"""E-mails that somebody who is not signed in can have sent to any address; the number of such e-mails is limited per
address and day."""


class _BlankIfMissing(dict[str, Any]):
    """The values for a template. A missing value becomes an empty string, so that the e-mail can still be sent."""

    def __missing__(self, key: str) -> str:
        return ""


def render_email(name: str, facts: Mapping[str, Any], *, site: str) -> EmailText:
    """Return the e-mail of the allauth template `name`, filled in with `facts`.

    Raises KeyError for an unknown template name.
    """
    template = EMAILS[name]
    values = _BlankIfMissing({key: str(value) for key, value in facts.items()}, site=site)
    text = template.text.replace("{site}", site)
    return EmailText(template.subject, text.format_map(values) + "\n")
