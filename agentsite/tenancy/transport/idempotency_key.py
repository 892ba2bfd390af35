"""The header `Idempotency-Key`, and what a request says under it."""

from typing import Final

from django.http import HttpRequest

from agentsite.base.errors import BadInput
from agentsite.tenancy.authentication import current_token

KEY_HEADER: Final = "Idempotency-Key"
LONGEST_KEY: Final = 200


def key_of(request: HttpRequest) -> str | None:
    """Raises BadInput for one that is none."""
    key = request.headers.get(KEY_HEADER)
    if key is not None and (not 1 <= len(key) <= LONGEST_KEY or not key.isprintable()):
        raise BadInput(
            f"{KEY_HEADER} must have 1 to {LONGEST_KEY} printable characters.", fields={KEY_HEADER: "not a key"}
        )
    return key


def said_by(request: HttpRequest) -> bytes:
    """Two requests that want the same say the same. By what token they come is part of it: an answer may hold what
    another token of the person may not have."""
    token = current_token(request)
    by = b"" if token is None else token.pk.bytes
    return b"\0".join((str(request.method).encode(), request.get_full_path().encode(), by, request.body))
