"""The words of every letter about an account. allauth says what happened by the name of a template; here it is."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

_NOT_YOU: Final = (
    "If this was not you, set a new password at {site}/forgot-password at once, and end sessions that you do not know"
    " on your account page."
)


@dataclass(frozen=True, slots=True)
class Letter:
    subject: str
    text: str


def _notice(subject: str, text: str) -> Letter:
    """News about an account, with what to do when somebody else caused them."""
    return Letter(subject, f"{text}\n\n{_NOT_YOU}")


PASSWORD_RESET: Final = "account/email/password_reset_key"

LETTERS: Final[Mapping[str, Letter]] = {
    "account/email/email_confirmation_signup": Letter(
        "Confirm your address",
        "You signed up at {site}.\n\nOpen this address to confirm that this mailbox is yours:\n\n{activate_url}\n\n"
        "If you did not sign up, ignore this letter: without the confirmation nobody can sign in.",
    ),
    "account/email/email_confirmation": Letter(
        "Confirm your address",
        "This address was given for an account at {site}.\n\nOpen this address to confirm that this mailbox is"
        " yours:\n\n{activate_url}\n\nIf you know nothing of it, ignore this letter.",
    ),
    PASSWORD_RESET: Letter(
        "Set a new password",
        "Somebody asked for a new password for your account at {site}.\n\nOpen this address to set one; it works once,"
        " and for a day:\n\n{password_reset_url}\n\nIf it was not you, ignore this letter: your password stays.",
    ),
    "account/email/unknown_account": Letter(
        "There is no account with this address",
        "Somebody asked for a new password at {site} for this address, but no account has it.\n\nIf it was you, try"
        " the address that you signed up with.",
    ),
    "account/email/account_already_exists": Letter(
        "You already have an account",
        "Somebody tried to sign up at {site} with this address, which has an account already.\n\nIf it was you, sign"
        " in instead. If you forgot the password, set a new one at {password_reset_url}. To sign in another way, sign"
        " in first and link it on your account page.",
    ),
    "account/email/password_changed": _notice("Your password was changed", "The password of your account was changed."),
    "account/email/password_reset": _notice("Your password was set anew", "A new password was set for your account."),
    "account/email/password_set": _notice("Your account has a password", "A password was set for your account."),
    "account/email/email_changed": _notice(
        "The address of your account was changed", "The address of your account is now {to_email}, not {from_email}."
    ),
    "account/email/email_confirm": _notice("Your address is confirmed", "This address was confirmed."),
    "account/email/email_deleted": _notice(
        "An address was removed", "The address {deleted_email} was removed from your account."
    ),
    "mfa/email/totp_activated": _notice(
        "Codes from an app are on", "Signing in to your account now takes a code from an app."
    ),
    "mfa/email/totp_deactivated": _notice(
        "Codes from an app are off", "Signing in to your account takes no code from an app any more."
    ),
    "mfa/email/recovery_codes_generated": _notice(
        "New recovery codes", "New recovery codes were made for your account. The ones before do not work any more."
    ),
    "mfa/email/webauthn_added": _notice("A passkey was added", "A passkey or security key was added to your account."),
    "mfa/email/webauthn_removed": _notice(
        "A passkey was removed", "A passkey or security key was removed from your account."
    ),
    "socialaccount/email/account_connected": _notice(
        "Another way to sign in", "{provider} can now be used to sign in to your account."
    ),
    "socialaccount/email/account_disconnected": _notice(
        "A way to sign in was removed", "{provider} can no longer be used to sign in to your account."
    ),
}

ASKED_FOR: Final = frozenset(
    {
        "account/email/email_confirmation_signup", "account/email/email_confirmation",
        PASSWORD_RESET, "account/email/unknown_account", "account/email/account_already_exists",
    }
)  # fmt: skip
"""Letters that anybody can have sent to an address."""


class _Known(dict[str, Any]):
    """What a letter names and nobody gave is left out, not an error: the letter must go."""

    def __missing__(self, key: str) -> str:
        return ""


def write_letter(name: str, facts: Mapping[str, Any], *, site: str) -> Letter:
    """Raises KeyError for a letter that nobody wrote."""
    letter = LETTERS[name]
    words = _Known({key: str(value) for key, value in facts.items()}, site=site)
    text = letter.text.replace("{site}", site)
    return Letter(letter.subject, text.format_map(words) + "\n")
