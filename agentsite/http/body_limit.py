"""No request brings more than the largest file that may be uploaded.

Django's ASGI handler keeps a whole body in a temporary file before anybody looks at who sent it, so without this
anybody could fill the disk.
"""

import json
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any, Final

from agentsite.base.error_codes import ErrorCode
from agentsite.http.security_headers import DATA_POLICY, DEFAULT_HEADERS, NO_STORE

LARGEST: Final = 16 << 20  # bytes; the largest attachment has 10 MiB, and a form around it
_ANSWER: Final = {
    "code": ErrorCode.TOO_LARGE,
    "message": f"A request may have {LARGEST >> 20} MiB.",
    "hint": "Send less at once.",
    "fields": {},
    "request_id": "",
}

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Application = Callable[..., Awaitable[None]]


class BodyLimit:
    """Around an ASGI application for HTTP. A request that says how large it is and is too large is answered with 413;
    one that does not say it is given up where the limit is passed."""

    def __init__(self, application: Application, largest: int = LARGEST) -> None:
        self._application = application
        self._largest = largest

    async def __call__(self, scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
        if _said_length(scope) > self._largest:
            await _refuse(send)
            return
        room = self._largest

        async def receive_within() -> Message:
            nonlocal room
            message = await receive()
            room -= len(message.get("body", b""))
            return message if room >= 0 else {"type": "http.disconnect"}

        await self._application(scope, receive_within, send)


def _said_length(scope: MutableMapping[str, Any]) -> int:
    said = dict(scope["headers"]).get(b"content-length", b"")
    return int(said) if said.isdigit() and len(said) < 30 else 0


async def _refuse(send: Send) -> None:
    body = json.dumps({"error": _ANSWER}).encode()
    own = {"Content-Type": "application/json", "Content-Length": str(len(body)), "Connection": "close"}
    told = {**DEFAULT_HEADERS, "Content-Security-Policy": DATA_POLICY, "Cache-Control": NO_STORE, **own}
    headers = [(name.lower().encode(), value.encode()) for name, value in told.items()]
    await send({"type": "http.response.start", "status": 413, "headers": headers})
    await send({"type": "http.response.body", "body": body})
