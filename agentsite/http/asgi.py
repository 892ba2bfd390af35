"""Types of ASGI applications, and error responses outside of Django."""

import json
from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from typing import Any

from agentsite.base.errors import SiteError
from agentsite.http.middleware import DATA_POLICY, DEFAULT_HEADERS, NO_STORE

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Application = Callable[..., Awaitable[None]]

DATA_HEADERS: Mapping[str, str] = {
    **DEFAULT_HEADERS,
    "Content-Security-Policy": DATA_POLICY,
    "Cache-Control": NO_STORE,
}
"""Headers of every response that contains data for programs instead of a page."""


def encoded(headers: Mapping[str, str]) -> list[tuple[bytes, bytes]]:
    return [(name.lower().encode(), value.encode()) for name, value in headers.items()]


async def send_error(
    send: Send, error: SiteError, headers: Mapping[str, str] | None = None, *, status: int = 0
) -> None:
    """Send an error response in the format of the API, with additional `headers`."""
    shown = {"code": error.code, "message": error.message, "hint": error.hint, "fields": error.fields, "request_id": ""}
    body = json.dumps({"error": shown}).encode()
    of_body = {"Content-Type": "application/json", "Content-Length": str(len(body))}
    start = {"type": "http.response.start", "status": status or error.status}
    await send({**start, "headers": encoded({**DATA_HEADERS, **of_body, **(headers or {})})})
    await send({"type": "http.response.body", "body": body})
