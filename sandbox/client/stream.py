"""Frames over one byte stream to the bridge inside a sandbox: for an engine whose sockets cannot be reached."""

import asyncio
import contextlib
import itertools
import threading
from collections.abc import Callable
from typing import Final, Protocol

from sandbox.client.transport import Frame
from sandbox.errors import ProtocolError, SandboxUnavailable
from sandbox.runner import frames

WAITING_LIMIT: Final = 64 << 20
"""Bytes, for each channel and for those that nobody waits for any more."""
PARSED: Final = 32
"""How many times larger than its text a header may be once it was parsed."""
GONE: Final = "The stream to the sandbox's runner has ended."


class Duplex(Protocol):
    """A stream in both directions; `recv` answers b"" at its end."""

    def recv(self, size: int, /) -> bytes: ...

    def sendall(self, data: bytes, /) -> None: ...

    def close(self) -> None: ...


class StreamCarrier:
    """All channels share one stream; it is opened when first needed and again after it broke. Any thread's loop may
    use it."""

    def __init__(self, connect: Callable[[], Duplex]) -> None:
        self._connect = connect
        self._lock = threading.Lock()
        self._stream: _SharedStream | None = None

    async def open(self) -> "StreamChannel":
        stream = await asyncio.to_thread(self._living_stream)
        return stream.add_channel(asyncio.get_running_loop())

    async def close(self) -> None:
        with self._lock:
            if self._stream:
                self._stream.end()

    def _living_stream(self) -> "_SharedStream":
        with self._lock:
            if self._stream is None or self._stream.ended:
                self._stream = _SharedStream(self._connect())
            return self._stream


class StreamChannel:
    def __init__(self, number: int, stream: "_SharedStream", loop: asyncio.AbstractEventLoop) -> None:
        self.number = number
        self._stream = stream
        self._loop = loop
        self._arrived: asyncio.Queue[Frame | None] = asyncio.Queue()
        self._delivered = 0
        self._taken = 0
        self._begun = False

    async def send(self, header: frames.Header, body: bytes = b"") -> None:
        """The first frame opens the request, whatever others' frames overtake it; the next ones are `more` of it."""
        frames.encode_head(header, len(body))
        more = {"more": True} if self._begun else {}
        self._begun = True
        await asyncio.to_thread(self._stream.send, {"channel": self.number, "header": header, **more}, body)

    async def receive(self) -> Frame:
        frame = await self._arrived.get()
        if frame is None:
            raise SandboxUnavailable(GONE)
        self._taken += weight(frame)
        return frame

    def close(self) -> None:
        self._stream.drop_channel(self.number)

    def deliver(self, frame: Frame | None) -> None:
        """From the reading thread."""
        self._delivered += weight(frame) if frame else 0
        if frame and self._delivered - self._taken > WAITING_LIMIT:
            raise ProtocolError("The sandbox's runner sends faster than anyone reads.")
        with contextlib.suppress(RuntimeError):  # the loop that waited for it is closed
            self._loop.call_soon_threadsafe(self._arrived.put_nowait, frame)


def weight(frame: Frame) -> int:
    return len(frame[1]) + PARSED * len(frames.to_json(frame[0]))


class _SharedStream:
    def __init__(self, duplex: Duplex) -> None:
        self.ended = False
        self._duplex = duplex
        self._numbers = itertools.count(1)
        self._channels: dict[int, StreamChannel] = {}
        self._sending = threading.Lock()
        self._unasked = 0
        threading.Thread(target=self._read_forever, name="sandbox-stream", daemon=True).start()

    def add_channel(self, loop: asyncio.AbstractEventLoop) -> StreamChannel:
        channel = StreamChannel(next(self._numbers), self, loop)
        self._channels[channel.number] = channel
        self._unasked = 0
        if self.ended:
            channel.deliver(None)
        return channel

    def drop_channel(self, number: int) -> None:
        if self._channels.pop(number, None) and not self.ended:
            with contextlib.suppress(SandboxUnavailable):
                self.send({"channel": number, "close": True})

    def send(self, header: frames.Header, body: bytes = b"") -> None:
        with self._sending:
            try:
                frames.send(self._duplex, header, body)
            except OSError as error:
                raise SandboxUnavailable(GONE) from error

    def end(self) -> None:
        self.ended = True
        with contextlib.suppress(OSError):
            self._duplex.close()

    def _read_forever(self) -> None:
        try:
            while received := frames.receive(self._duplex):
                self._take(*received)
        except (OSError, frames.FrameError, ProtocolError):
            return  # whoever waits is told that the stream has ended
        finally:
            self.end()
            for channel in list(self._channels.values()):
                channel.deliver(None)

    def _take(self, envelope: frames.Header, body: bytes) -> None:
        number, header = envelope.get("channel"), envelope.get("header", {})
        if not isinstance(number, int) or not isinstance(header, dict):
            raise ProtocolError("The sandbox's runner answered without a channel.")
        if channel := self._channels.get(number):
            self._hand_over(channel, header, body, closed=bool(envelope.get("closed")))
            return
        self._unasked += weight((header, body))
        if self._unasked > WAITING_LIMIT:
            raise ProtocolError("The sandbox's runner sends what nobody asked for.")

    def _hand_over(self, channel: StreamChannel, header: frames.Header, body: bytes, *, closed: bool) -> None:
        if closed:
            self._channels.pop(channel.number, None)
            channel.deliver(None)
        else:
            channel.deliver((header, body))
