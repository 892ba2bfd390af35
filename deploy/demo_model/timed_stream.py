"""A streamed answer with pauses, holds and broken ends, which notices when the client leaves."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Final

from starlette.responses import Response
from starlette.types import Message, Receive, Scope, Send

HEADERS: Final = [(b"content-type", b"text/event-stream; charset=utf-8"), (b"cache-control", b"no-store")]


class ConnectionCut(Exception):
    """Ends the connection without ending the answer."""


@dataclass(frozen=True, slots=True)
class Piece:
    """Bytes to send after `delay` seconds; `before` is awaited first."""

    data: bytes
    delay: float = 0.0
    before: Callable[[], Awaitable[None]] | None = None

    @property
    def at_once(self) -> bool:
        return not self.delay and self.before is None


class TimedStream(Response):
    """`ended` is told how it went: "done", "cut" or "disconnected"."""

    def __init__(self, pieces: Sequence[Piece], *, cut: bool, ended: Callable[[str], Awaitable[None]]) -> None:
        self._pieces = joined(pieces)
        self._cut = cut
        self._ended = ended

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if all(piece.at_once for piece in self._pieces):
            await self._send_all(send)
        elif not await self._send_while_connected(receive, send):
            await self._ended("disconnected")
            return
        await self._ended("cut" if self._cut else "done")
        if self._cut:
            raise ConnectionCut
        await send({"type": "http.response.body", "body": b"", "more_body": False})

    async def _send_while_connected(self, receive: Receive, send: Send) -> bool:
        """Whether everything was sent before the client left."""
        sending = asyncio.ensure_future(self._send_all(send))
        leaving = asyncio.ensure_future(_client_leaves(receive))
        try:
            await asyncio.wait({sending, leaving}, return_when=asyncio.FIRST_COMPLETED)
            return sending.done() and sending.exception() is None
        finally:
            sending.cancel()
            leaving.cancel()

    async def _send_all(self, send: Send) -> None:
        started = False
        for piece in self._pieces:
            if piece.before is not None:
                await piece.before()
            if piece.delay:
                await asyncio.sleep(piece.delay)
            if not started:
                await send({"type": "http.response.start", "status": 200, "headers": HEADERS})
                started = True
            await send({"type": "http.response.body", "body": piece.data, "more_body": True})


def joined(pieces: Sequence[Piece]) -> list[Piece]:
    """Neighbours that go out at the same moment become one."""
    together: list[Piece] = []
    for piece in pieces:
        if together and piece.at_once:
            last = together[-1]
            together[-1] = Piece(last.data + piece.data, last.delay, last.before)
        else:
            together.append(piece)
    return together


async def _client_leaves(receive: Receive) -> None:
    message: Message = {"type": ""}
    while message["type"] != "http.disconnect":
        message = await receive()
