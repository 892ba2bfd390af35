"""Client side of a program with open stdin and stdout: chunks in both directions, with a limited number in flight."""

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

PIECE_BYTES: Final = 1 << 18  # a larger text is split
MAX_STDERR_BYTES: Final = 1 << 16
EVENTS: Final = ("chunk", "taken")
LOST: Final = "The sandbox ended while this program was running in it."
ENDED: Final = "This program has ended."


class RunnerProcess:
    """A `sandbox.ports.Process` over one channel to the runner.

    A background task reads the channel, because acknowledgements and output arrive on the same channel. At most WINDOW
    chunks of output wait to be received.
    """

    def __init__(self, channel: Channel, *, piece_bytes: int = PIECE_BYTES) -> None:
        self._channel = channel
        self._piece_bytes = piece_bytes
        self._frame_lock = asyncio.Lock()
        self._send_lock = asyncio.Lock()
        self._window = asyncio.Semaphore(WINDOW)
        self._received: asyncio.Queue[bytes | SandboxError] = asyncio.Queue()
        self._failure: SandboxError | None = None
        self._end: ProcessEnd | None = None
        self._unacknowledged = 0
        self._in_flight = 0
        self._reading = asyncio.create_task(self._read(), name="sandbox-process")
        self._reading.add_done_callback(lambda _: channel.close())

    @property
    def end(self) -> ProcessEnd | None:
        return self._end

    async def send(self, data: bytes) -> None:
        async with self._send_lock:
            for start in range(0, len(data), self._piece_bytes):
                await self._window.acquire()
                if self._failure:
                    self._window.release()
                    raise self._failure
                self._in_flight += 1
                await self._send_frame({"event": "chunk"}, data[start : start + self._piece_bytes])

    async def receive(self) -> bytes:
        if self._failure and self._received.empty():
            return self._result_after_end()
        received = await self._received.get()
        if isinstance(received, SandboxError):
            return self._result_after_end()
        self._unacknowledged -= 1
        with contextlib.suppress(SandboxUnavailable):  # it has ended; the next `receive` reports that
            await self._send_frame({"event": "taken"})
        return received

    def close(self) -> None:
        self._reading.cancel()
        self._fail(SandboxLost(ENDED))

    def _result_after_end(self) -> bytes:
        if self._end or self._failure is None:
            return b""
        raise self._failure

    async def _send_frame(self, header: Header, body: bytes = b"") -> None:
        async with self._frame_lock:
            await self._channel.send(header, body)

    async def _read(self) -> None:
        try:
            while self._end is None:
                self._handle_frame(*await self._channel.receive())
            self._fail(SandboxLost(ENDED))
        except SandboxUnavailable:
            self._fail(SandboxLost(LOST))
        except SandboxError as error:
            self._fail(error)

    def _handle_frame(self, header: Header, body: bytes) -> None:
        answer = Fields(header)
        answers.raise_error(answer)
        if not answer.has("event"):
            reason = cast(ProcessEndReason, answer.one_of("end", get_args(ProcessEndReason)))
            self._end = ProcessEnd(reason, answer.integer("exit_code"), body[-MAX_STDERR_BYTES:])
        elif answer.one_of("event", EVENTS) == "taken":
            self._in_flight -= 1
            if self._in_flight < 0:
                raise ProtocolError("The sandbox's runner acknowledged more data than was sent.")
            self._window.release()
        else:
            self._unacknowledged += 1
            if self._unacknowledged > WINDOW or len(body) > CHUNK_LIMIT:
                raise ProtocolError("The sandbox's runner sent more output of a program than allowed.")
            self._received.put_nowait(body)

    def _fail(self, error: SandboxError) -> None:
        """Record the error and wake callers that wait in `send` or `receive`."""
        if self._failure is None:
            self._failure = error
            self._received.put_nowait(error)
            self._window.release()
