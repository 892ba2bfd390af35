"""The settings that production refuses, because they are safe only in development."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from django.conf import settings
from django.core.checks import CheckMessage, Error, Tags, register
from django.core.exceptions import ImproperlyConfigured

from agentsite.base.environment import DEVELOPMENT_SECRET


@dataclass(frozen=True, slots=True)
class UnsafeSetting:
    """An unsafe value of a setting. `present` returns whether the setting has this value; `advice` tells what to set
    instead."""

    id: str
    present: Callable[[Any], bool]
    message: str
    advice: str


def _is_key_pair(public_key: str, private_keys: Sequence[str]) -> bool:
    """Return whether the first private key belongs to the public key. True if this process has no private keys."""
    from agentsite.tenancy.encryption import public_of

    try:
        return not private_keys or public_of(private_keys[0]) == public_key
    except ValueError:
        return False


UNSAFE_SETTINGS: Final = (
    UnsafeSetting(
        "agentsite.E001",
        lambda s: s.SECRET_KEY == DEVELOPMENT_SECRET or len(s.SECRET_KEY) < 50,
        "SECRET_KEY is the development key, or has fewer than 50 characters.",
        "Set SECRET_KEY to at least 50 random characters.",
    ),
    UnsafeSetting("agentsite.E002", lambda s: bool(s.DEBUG), "Debug mode is on.", "Leave DEBUG unset."),
    UnsafeSetting(
        "agentsite.E003",
        lambda s: not s.ALLOWED_HOSTS or any(host.startswith(("*", ".")) for host in s.ALLOWED_HOSTS),
        "The site accepts requests for any host name.",
        "Set ALLOWED_HOSTS to the host names of this site.",
    ),
    UnsafeSetting(
        "agentsite.E004",
        lambda s: bool(s.EMBEDDED_DATABASE),
        "The site uses the embedded SQLite database.",
        "Set DATABASE_URL to a PostgreSQL server.",
    ),
    UnsafeSetting(
        "agentsite.E005",
        lambda s: bool(s.EMBEDDED_VALKEY),
        "The site uses the embedded Valkey as its broker.",
        "Set REDIS_URL to a Valkey or Redis server.",
    ),
    UnsafeSetting(
        "agentsite.E006",
        lambda s: not (s.SESSION_COOKIE_SECURE and s.CSRF_COOKIE_SECURE),
        "Cookies are sent over plain HTTP.",
        "Set SECURE_COOKIES=true and serve the site over HTTPS.",
    ),
    UnsafeSetting(
        "agentsite.E007",
        lambda s: bool(s.DEMO_MODE),
        "Demo mode is on, and the demo password is public.",
        "Set AGENTSITE_DEMO=false.",
    ),
    UnsafeSetting(
        "agentsite.E008",
        lambda s: not s.SEALING_PUBLIC_KEY,
        "Provider keys and other secrets of teams cannot be encrypted.",
        "Set SEALING_PUBLIC_KEY; `manage.py make_sealing_keys` creates a key pair.",
    ),
    UnsafeSetting(
        "agentsite.E009",
        lambda s: bool(s.SEALING_PUBLIC_KEY) and not _is_key_pair(s.SEALING_PUBLIC_KEY, s.SEALING_PRIVATE_KEYS),
        "The sealing keys are not a pair: secrets that are encrypted now could not be decrypted.",
        "Put the private key of SEALING_PUBLIC_KEY first in SEALING_PRIVATE_KEYS.",
    ),
    UnsafeSetting(
        "agentsite.E010",
        lambda s: bool(s.VARIABLES_PUBLIC_KEY) and not _is_key_pair(s.VARIABLES_PUBLIC_KEY, s.VARIABLES_PRIVATE_KEYS),
        "The keys of secret variables are not a pair: what is encrypted now could not be decrypted.",
        "Put the private key of VARIABLES_PUBLIC_KEY first in VARIABLES_PRIVATE_KEYS.",
    ),
    UnsafeSetting(
        "agentsite.E011",
        lambda s: bool(s.DOOR_PUBLIC_KEY) and not _is_key_pair(s.DOOR_PUBLIC_KEY, s.DOOR_PRIVATE_KEYS),
        "The door's keys are not a pair: what is encrypted now could not be decrypted.",
        "Put the private key of DOOR_PUBLIC_KEY first in DOOR_PRIVATE_KEYS.",
    ),
)


def find_unsafe_settings(source: Any = settings) -> list[UnsafeSetting]:
    """Return the settings that are unsafe in production; an empty list in development."""
    return [unsafe for unsafe in UNSAFE_SETTINGS if unsafe.present(source)] if source.PRODUCTION else []


@register(Tags.security)
def check_production(**_options: Any) -> list[CheckMessage]:
    """Report unsafe settings to `manage.py check`."""
    return [Error(unsafe.message, hint=unsafe.advice, id=unsafe.id) for unsafe in find_unsafe_settings()]


def refuse_unsafe_settings() -> None:
    """Raise ImproperlyConfigured if a setting is unsafe.

    Servers and workers call it at startup, because they do not run Django's system checks.
    """
    found = find_unsafe_settings()
    if found:
        lines = "".join(f"\n  {unsafe.message} {unsafe.advice}" for unsafe in found)
        raise ImproperlyConfigured(f"Production refuses to start with these settings:{lines}")
