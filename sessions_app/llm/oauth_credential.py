"""The credential from an OAuth sign-in, as it is stored in place of a provider's key. Pure.

It has a short-lived access token and a refresh token, which can be exchanged once for a new pair of tokens.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Self

_START: Final = "oauth:"
DEFAULT_LIFETIME: Final = 7_200.0  # seconds
MAX_TOKEN_CHARS: Final = 3_000


@dataclass(frozen=True, slots=True)
class OAuthCredential:
    """A pair of tokens. `until` is when the access token expires, in seconds of the epoch. `client_id` is the OAuth
    client that got the tokens; no other client can renew them."""

    access: str = field(repr=False)
    refresh: str = field(repr=False)
    until: float
    client_id: str

    @classmethod
    def of_answer(cls, answer: Mapping[str, Any], client_id: str, now: float) -> Self | None:
        """Return the credential in the answer of a token endpoint; None if the answer has no usable tokens."""
        access, refresh, lifetime = (answer.get(name) for name in ("access_token", "refresh_token", "expires_in"))
        if not (_is_token(access) and _is_token(refresh)):
            return None
        seconds = float(lifetime) if isinstance(lifetime, int) and lifetime > 0 else DEFAULT_LIFETIME
        return cls(str(access), str(refresh), now + seconds, client_id)

    def as_key(self) -> str:
        """Return the credential as one line of ASCII characters without spaces, so that it can be stored like a key."""
        content = {"access": self.access, "refresh": self.refresh, "until": int(self.until), "client": self.client_id}
        return _START + json.dumps(content, separators=(",", ":"))


def credential_in(key: str) -> OAuthCredential | None:
    """Return the credential that is stored as `key`; None if `key` is a key that somebody entered."""
    if not key.startswith(_START):
        return None
    try:
        found = json.loads(key.removeprefix(_START))
        return OAuthCredential(found["access"], found["refresh"], float(found["until"]), found["client"])
    except (ValueError, KeyError, TypeError):
        return None


def _is_token(value: Any) -> bool:
    return isinstance(value, str) and 0 < len(value) <= MAX_TOKEN_CHARS and value.isascii() and value.isprintable()
