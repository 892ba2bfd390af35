"""Connections of a preview server to ports of workspaces, relayed as streams by the sandbox worker.

The worker's side is `workers.sandbox.port_carrier`.
"""

import asyncio
import itertools
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final

from channels.exceptions import ChannelFull
from redis.exceptions import RedisError

from agentsite.base.channel_receiver import ChannelReceiver
from agentsite.base.errors import Missing, TooMany, Unavailable
from agentsite.tenancy.models import User
from sessions_app.models import Workspace
from sessions_app.queries.live import query_workspace
from sessions_app.queries.questions import CarryPortsQuestion

WINDOW: Final = 4  # pieces in one direction of a connection that were not taken yet
PIECE_BYTES: Final = 1 << 16
MAX_CONNECTIONS: Final = 64  # of one workspace
ALIVE_EVERY: Final = 2.0  # seconds between two messages that tell the other end that this one lives
SILENCE_SECONDS: Final = 8.0  # without a message of the other end
OPEN_SECONDS: Final = 10.0
ATTACH_SECONDS: Final = 15.0
UNUSED_SECONDS: Final = 30.0  # without a connection, after which the carrier is let go

GONE: Final = "The connection to the workspace was lost. Its node may be restarting."


class PortStream:
    """A connection to a program of a workspace, with the methods of `asyncio.StreamReader` and `StreamWriter` that the
    proxy uses. Its methods raise ConnectionError if the connection is lost."""

    def __init__(self, number: int, link: "WorkspaceLink") -> None:
        self.number = number
        self._link = link
        self._received: asyncio.Queue[bytes | None] = asyncio.Queue()
        self._rest = b""
        self._waiting = bytearray()
        self._room = asyncio.Semaphore(WINDOW)
        self._next_in = self._next_out = 0
        self._has_ended = False
        self._failure: Exception | None = None
        self.opened: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    async def read(self, count: int = PIECE_BYTES, /) -> bytes:
        """Return the next bytes from the program, b"" at the end."""
        if not self._rest:
            if self._has_ended and self._received.empty():
                if self._failure is not None:
                    raise ConnectionResetError(GONE) from self._failure
                return b""
            piece = await self._received.get()
            if piece is None:
                return await self.read(count)
            self._rest = piece
            await self._link.send("taken", self.number)
        data, self._rest = self._rest[:count], self._rest[count:]
        return data

    def write(self, data: bytes, /) -> None:
        self._waiting += data

    async def drain(self) -> None:
        """Send the written data to the program; wait while the program does not read."""
        while self._waiting:
            await self._room.acquire()
            if self._has_ended:
                self._room.release()
                raise ConnectionResetError(GONE)
            piece = bytes(self._waiting[:PIECE_BYTES])
            del self._waiting[:PIECE_BYTES]
            await self._link.send("data", self.number, at=self._next_out, data=piece)
            self._next_out += 1

    def can_write_eof(self) -> bool:
        return False

    def close(self) -> None:
        """End the connection. A coroutine that waits for data gets an error, and received data that nobody has read is
        dropped."""
        self._link.forget(self, tell=not self._has_ended)
        while not self._received.empty():
            self._received.get_nowait()
        self._rest = b""
        self.end(ConnectionResetError(GONE))

    def end(self, failure: Exception | None) -> None:
        """Record that no more data arrives, and wake the coroutines that wait for data."""
        if self._has_ended:
            return
        self._has_ended, self._failure = True, failure
        self._received.put_nowait(None)
        self._room.release()
        if not self.opened.done():
            self.opened.set_exception(failure or ConnectionResetError(GONE))
            self.opened.exception()

    def handle(self, message: dict[str, Any]) -> None:
        match message["type"]:
            case "carry.opened" if not self.opened.done():
                self.opened.set_result(None)
            case "carry.data" if message["at"] == self._next_in:
                self._next_in += 1
                self._received.put_nowait(message["data"])
            case "carry.taken":
                self._room.release()
            case "carry.ended":
                self.end(None)
            case "carry.failed":
                not_there = message["code"] == "not_found"
                self.end(Missing(message["message"]) if not_there else Unavailable(message["message"]))
            case _:
                self.end(ConnectionResetError(GONE))


class WorkspaceLink:
    """The connections of this process to one workspace, all relayed by one port carrier of the sandbox worker. If the
    carrier is lost, all connections end, and the next connection asks for another carrier."""

    def __init__(self, layer: Any, workspace: Workspace, on_end: Callable[["WorkspaceLink"], None]) -> None:
        self._layer = layer
        self._workspace = workspace
        self._on_end = on_end
        self._streams: dict[int, PortStream] = {}
        self._numbers = itertools.count(1)
        self._output = ""
        self._attaching = asyncio.Lock()
        self._heard_at = self._used_at = time.monotonic()
        self._tasks: list[asyncio.Task[None]] = []

    async def connect(self, port: int, person: User) -> PortStream:
        """Open a connection to a port of the workspace and return it. Raises SiteError or OSError."""
        self._used_at = time.monotonic()
        if len(self._streams) >= MAX_CONNECTIONS:
            raise TooMany(f"This workspace has {MAX_CONNECTIONS} open connections for previews already.")
        async with self._attaching:
            if not self._output:
                await self._attach(person)
        stream = PortStream(next(self._numbers), self)
        self._streams[stream.number] = stream
        try:
            await self.send("open", stream.number, port=port)
            async with asyncio.timeout(OPEN_SECONDS):
                await stream.opened
        except TimeoutError as error:
            stream.close()
            raise Unavailable("The workspace did not answer in time.") from error
        except BaseException:
            stream.close()
            raise
        return stream

    async def send(self, kind: str, number: int, **fields: Any) -> None:
        if not self._output:
            raise ConnectionResetError(GONE)
        try:
            await self._layer.send(self._output, {"type": f"carry.{kind}", "id": number, **fields})
        except (RedisError, ChannelFull) as error:
            raise ConnectionResetError(GONE) from error

    def forget(self, stream: PortStream, *, tell: bool) -> None:
        if self._streams.pop(stream.number, None) and tell and self._output:
            task = asyncio.ensure_future(self._tell_end(stream.number))
            self._tasks = [each for each in self._tasks if not each.done()] + [task]

    def close(self) -> None:
        """End all connections."""
        self._output = ""
        self._on_end(self)
        for stream in list(self._streams.values()):
            stream.end(ConnectionResetError(GONE))
        self._streams.clear()

    async def _tell_end(self, number: int) -> None:
        with suppress(OSError):
            await self.send("close", number)

    async def _attach(self, person: User) -> None:
        channel = await self._layer.new_channel()
        question = CarryPortsQuestion(channel=channel)
        answer = await query_workspace(self._workspace, question, person=person, timeout_seconds=ATTACH_SECONDS)
        if not answer:
            raise Unavailable("The workspace does not run.")
        self._output = answer["input"]
        self._heard_at = time.monotonic()
        self._tasks = [asyncio.create_task(self._receive(channel))]

    async def _receive(self, channel: str) -> None:
        told_at = time.monotonic()
        receiver = ChannelReceiver(self._layer, channel)
        try:
            while self._output and time.monotonic() - self._heard_at < SILENCE_SECONDS:
                now = time.monotonic()
                if self._streams:
                    self._used_at = now
                elif now - self._used_at > UNUSED_SECONDS:
                    await self.send("leave", 0)
                    return
                if now - told_at >= ALIVE_EVERY:
                    await self.send("alive", 0)
                    told_at = now
                if message := await receiver.next(1.0):
                    self._heard_at = time.monotonic()
                    if stream := self._streams.get(message["id"]):
                        stream.handle(message)
        except (OSError, RedisError):
            pass
        finally:
            receiver.close()
            self.close()


class WorkspaceLinks:
    """The connections of this process to the port carriers of workspaces, one for each workspace."""

    def __init__(self, layer: Any) -> None:
        self._layer = layer
        self._links: dict[Any, WorkspaceLink] = {}

    async def connect(self, workspace: Workspace, port: int, person: User) -> PortStream:
        """Return a connection to a port of a workspace. Raises SiteError: Missing if no program answers there."""
        link = self._links.get(workspace.pk)
        if link is None:
            link = self._links[workspace.pk] = WorkspaceLink(self._layer, workspace, self._forget)
        try:
            return await link.connect(port, person)
        except (OSError, RedisError) as error:
            raise Unavailable(GONE) from error

    def close(self) -> None:
        for link in list(self._links.values()):
            link.close()

    def _forget(self, link: WorkspaceLink) -> None:
        for key, known in list(self._links.items()):
            if known is link:
                del self._links[key]
