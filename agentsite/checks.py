"""What production refuses to start with: one row per setting that is fine on a laptop and dangerous elsewhere."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from django.conf import settings
from django.core.checks import CheckMessage, Error, Tags, register
from django.core.exceptions import ImproperlyConfigured

from agentsite.base.environment import DEVELOPMENT_SECRET


@dataclass(frozen=True, slots=True)
class UnsafeSetting:
    """`present` looks at the settings; `advice` says what to set."""

    id: str
    present: Callable[[Any], bool]
    message: str
    advice: str


def _belong_together(public_key: str, private_keys: Sequence[str]) -> bool:
    """Processes without private keys cannot tell."""
    from agentsite.tenancy.encryption import public_of

    try:
        return not private_keys or public_of(private_keys[0]) == public_key
    except ValueError:
        return False


UNSAFE_SETTINGS: Final = (
    UnsafeSetting(
        "agentsite.E001",
        lambda s: s.SECRET_KEY == DEVELOPMENT_SECRET or len(s.SECRET_KEY) < 50,
        "The secret key is the development one, or too short.",
        "Set SECRET_KEY to at least 50 random characters.",
    ),
    UnsafeSetting("agentsite.E002", lambda s: bool(s.DEBUG), "Debug mode is on.", "Leave DEBUG unset."),
    UnsafeSetting(
        "agentsite.E003",
        lambda s: not s.ALLOWED_HOSTS or any(host.startswith(("*", ".")) for host in s.ALLOWED_HOSTS),
        "The site answers to any host name.",
        "Set ALLOWED_HOSTS to the names that people use.",
    ),
    UnsafeSetting(
        "agentsite.E004",
        lambda s: bool(s.EMBEDDED_DATABASE),
        "The database is the embedded SQLite.",
        "Set DATABASE_URL to a PostgreSQL server.",
    ),
    UnsafeSetting(
        "agentsite.E005",
        lambda s: bool(s.EMBEDDED_VALKEY),
        "The broker is the embedded Valkey.",
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
        "Demo mode is on: everybody knows the demo password.",
        "Set AGENTSITE_DEMO=false.",
    ),
    UnsafeSetting(
        "agentsite.E008",
        lambda s: not s.SEALING_PUBLIC_KEY,
        "Keys of providers and other secrets of teams cannot be sealed.",
        "Set SEALING_PUBLIC_KEY; `manage.py make_sealing_keys` makes a pair.",
    ),
    UnsafeSetting(
        "agentsite.E009",
        lambda s: bool(s.SEALING_PUBLIC_KEY) and not _belong_together(s.SEALING_PUBLIC_KEY, s.SEALING_PRIVATE_KEYS),
        "The sealing keys do not belong together: what is sealed now could not be read.",
        "Put the private key of SEALING_PUBLIC_KEY first in SEALING_PRIVATE_KEYS.",
    ),
)


def find_unsafe_settings(source: Any = settings) -> list[UnsafeSetting]:
    """Return the settings that are unsafe in production; an empty list in development."""
    return [danger for danger in UNSAFE_SETTINGS if danger.present(source)] if source.PRODUCTION else []


@register(Tags.security)
def check_production(**_options: Any) -> list[CheckMessage]:
    return [Error(danger.message, hint=danger.advice, id=danger.id) for danger in find_unsafe_settings()]


def refuse_unsafe_settings() -> None:
    """Servers and workers do not run Django's checks when they start, so they ask here."""
    dangers = find_unsafe_settings()
    if dangers:
        lines = "".join(f"\n  {danger.message} {danger.advice}" for danger in dangers)
        raise ImproperlyConfigured(f"Production refuses to start with these settings:{lines}")
