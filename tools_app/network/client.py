"""Client: a connection from a program in a workspace to the door (network proxy), which answers as an HTTP server. h11
reads and writes the protocol."""

import asyncio
from typing import Any, Final, Protocol

import h11

from tools_app.network.relay import CHUNK, IDLE_TIMEOUT

MAX_HEAD: Final = 1 << 16  # bytes
MAX_REASON: Final = 300  # characters in a status line
HOP_BY_HOP: Final = frozenset(
    {b"connection", b"keep-alive", b"proxy-authenticate", b"proxy-authorization", b"proxy-connection", b"te",
     b"trailer", b"transfer-encoding", b"upgrade", b"host"}
)  # fmt: skip


class Reader(Protocol):
    async def read(self, count: int, /) -> bytes: ...


class Writer(Protocol):
    def write(self, data: bytes, /) -> None: ...

    async def drain(self) -> None: ...


class Client:
    """A program's connection to the door, over which the door answers as an HTTP server."""

    def __init__(self, reader: Reader, writer: Writer) -> None:
        self.reader = reader
        self.writer = writer
        self.http = h11.Connection(h11.SERVER, max_incomplete_event_size=MAX_HEAD)

    async def request(self) -> h11.Request | None:
        """Return the head of the program's request; None if the program closed the connection."""
        event = await next_event(self.http, self.reader)
        return event if isinstance(event, h11.Request) else None

    async def send(self, event: Any) -> None:
        if data := self.http.send(event):
            self.writer.write(data)
            await self.writer.drain()

    async def accept_tunnel(self) -> bytes:
        """Answer a CONNECT request with success. Return the bytes that the program has already sent."""
        await next_event(self.http, self.reader)  # the end of the request
        await self.send(h11.Response(status_code=200, headers=[], reason=b"Connection established"))
        return bytes(self.http.trailing_data[0])

    async def refuse(self, status: int, sentence: str) -> None:
        """Answer the request with an error. `sentence` is the body of the answer, and also part of its status line."""
        reason = sentence.encode("ascii", "replace")[:MAX_REASON]
        await self.answer(status, "text/plain; charset=utf-8", f"{sentence}\n".encode(), reason=reason)

    async def answer(self, status: int, content_type: str, body: bytes, *, reason: bytes = b"") -> None:
        """Send a whole response to the program."""
        headers = [("Content-Type", content_type), ("Content-Length", str(len(body))), ("Connection", "close")]
        await self.send(h11.Response(status_code=status, headers=headers, reason=reason))
        await self.send(h11.Data(data=body))
        await self.send(h11.EndOfMessage())


async def next_event(http: h11.Connection, reader: Reader) -> Any:
    """Return the next event of a connection, reading as much as needed. Raises RemoteProtocolError, or TimeoutError if
    nothing comes for `IDLE_TIMEOUT`."""
    while True:
        event = http.next_event()
        if event is h11.NEED_DATA:
            async with asyncio.timeout(IDLE_TIMEOUT):
                received = await reader.read(CHUNK)
            http.receive_data(received)
        else:
            return event
