"""One request of a browser to a program of a workspace, and its response. The bodies of request and response may be
passed on at the same time."""

import asyncio
from collections.abc import Callable
from typing import Any, Final, Protocol

import h11

from sessions_app.workers.preview.heads import Headers

IDLE_TIMEOUT: Final = 300.0  # seconds in which nothing comes
CHUNK: Final = 1 << 16
MAX_HEAD: Final = 1 << 16  # bytes of a program's head


class SwitchedProtocols(Exception):
    """Raised when a connection that had become a WebSocket has ended, so that no further request is read from it."""


class Reader(Protocol):
    async def read(self, count: int, /) -> bytes: ...


class Writer(Protocol):
    def write(self, data: bytes, /) -> None: ...

    async def drain(self) -> None: ...


class Program(Reader, Writer, Protocol):
    """A connection to the program of a workspace that a preview shows."""


class Exchange:
    """One exchange between a browser and a program: a request and its response are passed on. `browser` is the h11
    connection to the browser, in which the preview server has the role of the HTTP server."""

    def __init__(self, browser: h11.Connection, reader: Reader, writer: Writer, program: Program) -> None:
        self._browser = browser
        self._reader = reader
        self._writer = writer
        self._program = program
        self.http = h11.Connection(h11.CLIENT, max_incomplete_event_size=MAX_HEAD)

    @property
    def browser(self) -> h11.Connection:
        return self._browser

    async def run(self, request: h11.Request, headers: Headers, changed: Callable[[Headers], Headers]) -> bool:
        """Send the request to the program with the headers `headers`, and the response to the browser with the headers
        that `changed` returns. Returns whether both sides have switched to another protocol, such as WebSocket.
        Exceptions of h11 and of the connections are raised."""
        await self._send(_forwarded(request, headers))
        sending = asyncio.create_task(self._send_body())
        try:
            is_switched = await self._receive(changed)
            if self._browser.their_state is not h11.SEND_BODY:
                await sending
            return is_switched
        finally:
            sending.cancel()
            await asyncio.gather(sending, return_exceptions=True)

    async def _send_body(self) -> None:
        if self._browser.they_are_waiting_for_100_continue:
            await self._answer(h11.InformationalResponse(status_code=100, headers=[]))
        while True:
            event = await self.next_event(self._browser, self._reader)
            if isinstance(event, h11.Data | h11.EndOfMessage):
                await self._send(event)
            if not isinstance(event, h11.Data):
                return

    async def _receive(self, changed: Callable[[Headers], Headers]) -> bool:
        while True:
            event = await self.next_event(self.http, self._program)
            if isinstance(event, h11.InformationalResponse):
                if event.status_code != 101:  # a hint, such as 103
                    continue
                await self._answer(_switching(event, changed))
                return True
            if isinstance(event, h11.Response):
                event = h11.Response(
                    status_code=event.status_code,
                    headers=changed(list(event.headers)),
                    reason=event.reason,
                )
            if not isinstance(event, h11.Response | h11.Data | h11.EndOfMessage):
                raise ConnectionResetError("The program ended the connection without a response.")
            await self._answer(event)
            if isinstance(event, h11.EndOfMessage):
                return False

    async def _send(self, event: Any) -> None:
        if data := self.http.send(event):
            self._program.write(data)
            await self._program.drain()

    async def _answer(self, event: Any) -> None:
        if data := self._browser.send(event):
            self._writer.write(data)
            await self._writer.drain()

    @staticmethod
    async def next_event(http: h11.Connection, reader: Reader) -> Any:
        """Return the next HTTP event of a connection, reading as much as necessary. Raises TimeoutError if no data
        comes for `IDLE_TIMEOUT`."""
        while True:
            event = http.next_event()
            if event is not h11.NEED_DATA:
                return event
            async with asyncio.timeout(IDLE_TIMEOUT):
                received = await reader.read(CHUNK)
            http.receive_data(received)


async def pass_bytes(exchange: Exchange, reader: Reader, writer: Writer, program: Program) -> None:
    """Pass on bytes in both directions until one side ends. Used between browser and program after the handshake of a
    WebSocket."""
    program.write(bytes(exchange.browser.trailing_data[0]))
    writer.write(bytes(exchange.http.trailing_data[0]))
    await asyncio.gather(program.drain(), writer.drain())
    both = [asyncio.create_task(_copy(reader, program)), asyncio.create_task(_copy(program, writer))]
    try:
        await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in both:
            task.cancel()
        await asyncio.gather(*both, return_exceptions=True)


async def _copy(reader: Reader, writer: Writer) -> None:
    while data := await reader.read(CHUNK):
        writer.write(data)
        await writer.drain()


def _forwarded(request: h11.Request, headers: Headers) -> h11.Request:
    given = dict(request.headers)
    if b"upgrade" in given:
        own = [(b"Upgrade", given[b"upgrade"]), (b"Connection", b"Upgrade")]
    else:
        own = [(b"Connection", b"close")]
    if b"transfer-encoding" in given:
        own.append((b"Transfer-Encoding", b"chunked"))
    return h11.Request(method=request.method, target=request.target, headers=[*headers, *own])


def _switching(event: h11.InformationalResponse, changed: Callable[[Headers], Headers]) -> h11.InformationalResponse:
    given = dict(event.headers)
    own = [(b"Upgrade", given.get(b"upgrade", b"websocket")), (b"Connection", b"Upgrade")]
    return h11.InformationalResponse(
        status_code=101, headers=[*changed(list(event.headers)), *own], reason=event.reason
    )
