"""Limit request bodies to the size of the largest upload.

Django's ASGI handler writes a whole body to a temporary file before it authenticates the request. Without this limit,
anybody could fill the disk.
"""

from collections.abc import MutableMapping
from typing import Any, Final

from agentsite.base.errors import TooLarge
from agentsite.http.asgi import Application, Message, Receive, Send, send_error

MAX_BODY_BYTES: Final = 16 << 20  # the largest attachment has 10 MiB, plus the form around it
_ERROR: Final = TooLarge(f"A request can have at most {MAX_BODY_BYTES >> 20} MiB.", hint="Send less at once.")


class BodyLimit:
    """ASGI middleware for HTTP that limits the size of request bodies.

    A request whose Content-Length is too large is answered with 413. Without Content-Length, the application sees a
    disconnect as soon as the limit is exceeded.
    """

    def __init__(self, application: Application, max_bytes: int = MAX_BODY_BYTES) -> None:
        self._application = application
        self._max_bytes = max_bytes

    async def __call__(self, scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
        if _content_length(scope) > self._max_bytes:
            await send_error(send, _ERROR, {"Connection": "close"})
            return
        room = self._max_bytes

        async def receive_within() -> Message:
            nonlocal room
            message = await receive()
            room -= len(message.get("body", b""))
            return message if room >= 0 else {"type": "http.disconnect"}

        await self._application(scope, receive_within, send)


def _content_length(scope: MutableMapping[str, Any]) -> int:
    declared = dict(scope["headers"]).get(b"content-length", b"")
    return int(declared) if declared.isdigit() and len(declared) < 30 else 0
