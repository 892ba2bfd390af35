"""The transport of requests to a runner over one byte stream to a bridge program inside the sandbox.

It is used where the runner's Unix socket cannot be reached, such as with a remote container engine.
"""

import asyncio
import contextlib
import itertools
import threading
from collections.abc import Callable
from typing import Final, Protocol

from sandbox.client.transport import Frame
from sandbox.errors import ProtocolError, SandboxUnavailable
from sandbox.runner import frames

MAX_WAITING_BYTES: Final = 64 << 20
"""Bytes of frames that may wait in one channel, and in total for channels that are already closed."""
PARSED_FACTOR: Final = 32
"""Estimate of how many times larger a parsed header is than its text."""
STREAM_ENDED: Final = "The stream to the sandbox's runner has ended."


class Duplex(Protocol):
    """A stream of bytes in both directions. `recv` returns b"" at the end of the stream."""

    def recv(self, size: int, /) -> bytes: ...

    def sendall(self, data: bytes, /) -> None: ...

    def close(self) -> None: ...


class StreamCarrier:
    """A `Carrier` whose channels share one stream.

    The stream is opened at first use, and opened again after it broke. Event loops of several threads may use one
    carrier.
    """

    def __init__(self, connect: Callable[[], Duplex]) -> None:
        self._connect = connect
        self._lock = threading.Lock()
        self._stream: _SharedStream | None = None

    async def open(self) -> "StreamChannel":
        stream = await asyncio.to_thread(self._open_stream)
        return stream.add_channel(asyncio.get_running_loop())

    async def close(self) -> None:
        with self._lock:
            if self._stream:
                self._stream.end()

    def _open_stream(self) -> "_SharedStream":
        with self._lock:
            if self._stream is None or self._stream.ended:
                self._stream = _SharedStream(self._connect())
            return self._stream


class StreamChannel:
    """A channel of the shared stream to the runner, for one request and its answers."""

    def __init__(self, number: int, stream: "_SharedStream", loop: asyncio.AbstractEventLoop) -> None:
        self.number = number
        self._stream = stream
        self._loop = loop
        self._frames: asyncio.Queue[Frame | None] = asyncio.Queue()
        self._delivered = 0
        self._consumed = 0
        self._opened = False

    async def send(self, header: frames.Header, body: bytes = b"") -> None:
        """Send a frame. The first frame opens the request; each later frame is marked as a continuation of the
        request."""
        frames.encode_head(header, len(body))
        more = {"more": True} if self._opened else {}
        self._opened = True
        await asyncio.to_thread(self._stream.send, {"channel": self.number, "header": header, **more}, body)

    async def receive(self) -> Frame:
        frame = await self._frames.get()
        if frame is None:
            raise SandboxUnavailable(STREAM_ENDED)
        self._consumed += weight(frame)
        return frame

    def close(self) -> None:
        self._stream.drop_channel(self.number)

    def deliver(self, frame: Frame | None) -> None:
        """Queue a frame for `receive`; None ends the channel. Called from the reading thread."""
        self._delivered += weight(frame) if frame else 0
        if frame and self._delivered - self._consumed > MAX_WAITING_BYTES:
            raise ProtocolError("The sandbox's runner sends data faster than it is read.")
        with contextlib.suppress(RuntimeError):  # the event loop of the receiver is closed
            self._loop.call_soon_threadsafe(self._frames.put_nowait, frame)


def weight(frame: Frame) -> int:
    """Return the approximate bytes of memory that a received frame takes."""
    return len(frame[1]) + PARSED_FACTOR * len(frames.to_json(frame[0]))


class _SharedStream:
    """The one byte stream that all channels share, and the thread that reads it and distributes the frames to their
    channels."""

    def __init__(self, duplex: Duplex) -> None:
        self.ended = False
        self._duplex = duplex
        self._numbers = itertools.count(1)
        self._channels: dict[int, StreamChannel] = {}
        self._send_lock = threading.Lock()
        self._unclaimed_bytes = 0
        threading.Thread(target=self._read_forever, name="sandbox-stream", daemon=True).start()

    def add_channel(self, loop: asyncio.AbstractEventLoop) -> StreamChannel:
        channel = StreamChannel(next(self._numbers), self, loop)
        self._channels[channel.number] = channel
        self._unclaimed_bytes = 0
        if self.ended:
            channel.deliver(None)
        return channel

    def drop_channel(self, number: int) -> None:
        if self._channels.pop(number, None) and not self.ended:
            with contextlib.suppress(SandboxUnavailable):
                self.send({"channel": number, "close": True})

    def send(self, header: frames.Header, body: bytes = b"") -> None:
        with self._send_lock:
            try:
                frames.send(self._duplex, header, body)
            except OSError as error:
                raise SandboxUnavailable(STREAM_ENDED) from error

    def end(self) -> None:
        self.ended = True
        with contextlib.suppress(OSError):
            self._duplex.close()

    def _read_forever(self) -> None:
        try:
            while received := frames.receive(self._duplex):
                self._handle_frame(*received)
        except (OSError, frames.FrameError, ProtocolError):
            return  # `finally` ends all channels, which raises in their receivers
        finally:
            self.end()
            for channel in list(self._channels.values()):
                channel.deliver(None)

    def _handle_frame(self, envelope: frames.Header, body: bytes) -> None:
        number, header = envelope.get("channel"), envelope.get("header", {})
        if not isinstance(number, int) or not isinstance(header, dict):
            raise ProtocolError("The sandbox's runner sent an answer without a channel.")
        if channel := self._channels.get(number):
            self._deliver_to(channel, header, body, closed=bool(envelope.get("closed")))
            return
        self._unclaimed_bytes += weight((header, body))
        if self._unclaimed_bytes > MAX_WAITING_BYTES:
            raise ProtocolError("The sandbox's runner sent data that was not requested.")

    def _deliver_to(self, channel: StreamChannel, header: frames.Header, body: bytes, *, closed: bool) -> None:
        if closed:
            self._channels.pop(channel.number, None)
            channel.deliver(None)
        else:
            channel.deliver((header, body))
