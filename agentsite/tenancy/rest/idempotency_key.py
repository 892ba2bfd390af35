"""The header `Idempotency-Key` of requests: read it, and run a request with this header only once."""

from collections.abc import Callable
from typing import Final

from django.http import HttpRequest

from agentsite.base.errors import BadInput
from agentsite.tenancy.actions.idempotency import StoredResponse, do_once
from agentsite.tenancy.authentication import current_token, current_user

KEY_HEADER: Final = "Idempotency-Key"
MAX_KEY_CHARS: Final = 200


def key_of(request: HttpRequest) -> str:
    """Return the value of the `Idempotency-Key` header, which the request must have.

    Raises BadInput if the value is empty, too long or unprintable.
    """
    key: str = request.headers[KEY_HEADER]
    if not 1 <= len(key) <= MAX_KEY_CHARS or not key.isprintable():
        raise BadInput(
            f"{KEY_HEADER} must have 1 to {MAX_KEY_CHARS} printable characters.", fields={KEY_HEADER: "not a key"}
        )
    return key


def request_fingerprint(request: HttpRequest) -> bytes:
    """Return the bytes that identify a request: method, path with query, API token and body.

    The token is included because a stored response can contain data that another token of the same person may not read.
    """
    token = current_token(request)
    by = b"" if token is None else token.pk.bytes
    return b"\0".join((str(request.method).encode(), request.get_full_path().encode(), by, request.body))


def work_once(request: HttpRequest, work: Callable[[], StoredResponse]) -> StoredResponse:
    """Execute `work`, at most once for the request's idempotency key if it has one, and return the response.

    Asynchronous operations call this function, because they have to evaluate the key themselves.
    """
    if KEY_HEADER not in request.headers:
        return work()
    return do_once(actor=current_user(request), key=key_of(request), request=request_fingerprint(request), work=work)
