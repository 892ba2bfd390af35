"""A streaming response with delays, holds and faults, which detects that the client disconnects."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Final

from starlette.responses import Response
from starlette.types import Message, Receive, Scope, Send

HEADERS: Final = [(b"content-type", b"text/event-stream; charset=utf-8"), (b"cache-control", b"no-store")]


class ConnectionCut(Exception):
    """Raised to close the connection before the answer is complete."""


@dataclass(frozen=True, slots=True)
class Piece:
    """Bytes to send: `before` is awaited first, then `delay` seconds pass."""

    data: bytes
    delay: float = 0.0
    before: Callable[[], Awaitable[None]] | None = None

    @property
    def is_immediate(self) -> bool:
        return not self.delay and self.before is None


class TimedStream(Response):
    """An event stream made of `pieces`.

    `cut` closes the connection after the last piece without ending the response. `on_end` is called with the final
    state: "done", "cut" or "disconnected".
    """

    def __init__(self, pieces: Sequence[Piece], *, cut: bool, on_end: Callable[[str], Awaitable[None]]) -> None:
        self._pieces = merge_immediate(pieces)
        self._cut = cut
        self._on_end = on_end

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if all(piece.is_immediate for piece in self._pieces):
            await self._send_all(send)
        elif not await self._send_while_connected(receive, send):
            await self._on_end("disconnected")
            return
        await self._on_end("cut" if self._cut else "done")
        if self._cut:
            raise ConnectionCut
        await send({"type": "http.response.body", "body": b"", "more_body": False})

    async def _send_while_connected(self, receive: Receive, send: Send) -> bool:
        """Send all pieces of the stream. Return False if the client disconnected before the last piece."""
        sending = asyncio.ensure_future(self._send_all(send))
        disconnecting = asyncio.ensure_future(_wait_for_disconnect(receive))
        try:
            await asyncio.wait({sending, disconnecting}, return_when=asyncio.FIRST_COMPLETED)
            return sending.done() and sending.exception() is None
        finally:
            sending.cancel()
            disconnecting.cancel()

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


def merge_immediate(pieces: Sequence[Piece]) -> list[Piece]:
    """Append each piece that has no delay to the piece before it, so that both are sent as one."""
    merged: list[Piece] = []
    for piece in pieces:
        if merged and piece.is_immediate:
            last = merged[-1]
            merged[-1] = Piece(last.data + piece.data, last.delay, last.before)
        else:
            merged.append(piece)
    return merged


async def _wait_for_disconnect(receive: Receive) -> None:
    message: Message = {"type": ""}
    while message["type"] != "http.disconnect":
        message = await receive()
