"""The client's end of a program that is talked to: chunks both ways, a few at a time."""

import asyncio
import contextlib
from typing import Final, cast, get_args

from sandbox.client import answers
from sandbox.client.answers import Fields
from sandbox.client.transport import Channel
from sandbox.errors import ProtocolError, SandboxError, SandboxLost, SandboxUnavailable
from sandbox.ports import ProcessEnd, ProcessEndReason
from sandbox.runner.frames import Header
from sandbox.runner.streams import CHUNK_LIMIT, WINDOW

PIECE: Final = 1 << 18
WORDS_LIMIT: Final = 1 << 16
EVENTS: Final = ("chunk", "taken")
LOST: Final = "The sandbox ended while a server ran in it."
ENDED: Final = "This server has ended."


class RunnerProcess:
    """Implements `sandbox.ports.Process`. A task of its own reads the channel, since what was taken and what was said
    come the same way; what nobody has received yet is never more than the window."""

    def __init__(self, channel: Channel) -> None:
        self._channel = channel
        self._sending = asyncio.Lock()
        self._speaking = asyncio.Lock()
        self._window = asyncio.Semaphore(WINDOW)
        self._said: asyncio.Queue[bytes | SandboxError] = asyncio.Queue()
        self._failure: SandboxError | None = None
        self._end: ProcessEnd | None = None
        self._untaken = 0
        self._sent = 0
        self._reading = asyncio.create_task(self._read(), name="sandbox-process")
        self._reading.add_done_callback(lambda _: channel.close())

    @property
    def end(self) -> ProcessEnd | None:
        return self._end

    async def send(self, data: bytes) -> None:
        async with self._speaking:
            for start in range(0, len(data), PIECE):
                await self._window.acquire()
                if self._failure:
                    self._window.release()
                    raise self._failure
                self._sent += 1
                await self._tell({"event": "chunk"}, data[start : start + PIECE])

    async def receive(self) -> bytes:
        if self._failure and self._said.empty():
            return self._ended()
        said = await self._said.get()
        if isinstance(said, SandboxError):
            return self._ended()
        self._untaken -= 1
        with contextlib.suppress(SandboxUnavailable):  # it has ended meanwhile, which is told next
            await self._tell({"event": "taken"})
        return said

    def close(self) -> None:
        self._reading.cancel()
        self._fail(SandboxLost(ENDED))

    def _ended(self) -> bytes:
        if self._end or self._failure is None:
            return b""
        raise self._failure

    async def _tell(self, header: Header, body: bytes = b"") -> None:
        async with self._sending:
            await self._channel.send(header, body)

    async def _read(self) -> None:
        try:
            while self._end is None:
                self._take(*await self._channel.receive())
            self._fail(SandboxLost(ENDED))
        except SandboxUnavailable:
            self._fail(SandboxLost(LOST))
        except SandboxError as error:
            self._fail(error)

    def _take(self, header: Header, body: bytes) -> None:
        answer = Fields(header)
        answers.raise_error(answer)
        if not answer.has("event"):
            reason = cast(ProcessEndReason, answer.one_of("end", get_args(ProcessEndReason)))
            self._end = ProcessEnd(reason, answer.integer("exit_code"), body[-WORDS_LIMIT:])
        elif answer.one_of("event", EVENTS) == "taken":
            self._sent -= 1
            if self._sent < 0:
                raise ProtocolError("The sandbox's runner took more than it was given.")
            self._window.release()
        else:
            self._untaken += 1
            if self._untaken > WINDOW or len(body) > CHUNK_LIMIT:
                raise ProtocolError("The sandbox's runner sends more of a server's words than it may.")
            self._said.put_nowait(body)

    def _fail(self, error: SandboxError) -> None:
        """Whoever waits, to say or to hear something, is told."""
        if self._failure is None:
            self._failure = error
            self._said.put_nowait(error)
            self._window.release()
