"""The buffers between a program and its client: bytes that one side has sent and the other has not yet received.

Each direction has a window of unacknowledged chunks. So a side that does not read delays only the other side, and
neither the runner nor the transport ever holds more than a few chunks.
"""

import os
import select
import socket
from collections import deque
from collections.abc import Iterator
from typing import Final, Protocol

from . import frames
from .processes import Job
from .streams import CHUNK_LIMIT, WINDOW

CHUNK: Final = 1 << 16  # bytes read at a time
HEADER_LIMIT: Final = 1_024  # bytes
OUTGOING_LIMIT: Final = 1 << 18  # bytes to send to the client, above which the program's output is not read
GONE: Final = select.EPOLLHUP | select.EPOLLERR | select.EPOLLRDHUP


class ChannelClosed(Exception):
    """The client has disconnected, or everything was sent."""


class StderrOutput(Protocol):
    """The interface of an object that keeps the end of a program's stderr."""

    kept: bytes


class StdioChannel:
    """A program and its client's connection. It closes the connection and both descriptors.

    `is_over` is set when the program has ended.
    """

    def __init__(
        self, job: Job, words: StderrOutput, to_program: int, from_program: int, connection: socket.socket
    ) -> None:
        self.job = job
        self.is_over = False
        self._stderr = words
        self._to_program = to_program
        self._from_program = from_program
        self._connection = connection
        connection.setblocking(False)
        self._received = FrameBuffer()
        self._incoming: deque[memoryview] = deque()
        self._input_ends = False
        self._outgoing = FrameQueue(connection)
        self._unacknowledged = 0
        self._end_queued = False

    @property
    def stdout_closed_early(self) -> bool:
        """True if the program has closed its stdout but still runs."""
        return self._from_program < 0 and not self.is_over

    def wanted(self) -> dict[int, int]:
        """Return the descriptors to poll, each with the events to poll for.

        A pipe from which nothing is wanted must not be polled: epoll would report its closed other end again and again.
        """
        listener = select.EPOLLIN | select.EPOLLRDHUP | (select.EPOLLOUT if self._outgoing else 0)
        wanted = {self._connection.fileno(): listener}
        if self._to_program >= 0 and self._incoming:
            wanted[self._to_program] = select.EPOLLOUT
        if self._may_read:
            wanted[self._from_program] = select.EPOLLIN
        return wanted

    def transfer(self, ready: tuple[int, int] | None) -> None:
        """Transfer the bytes that can be transferred without blocking. `ready` is a descriptor and its events.

        Raises ChannelClosed, FrameError or OSError if the channel cannot continue.
        """
        fd, events = ready or (-1, 0)
        if fd == self._connection.fileno():
            self._receive(events)
        elif fd == self._from_program and fd >= 0:
            self._read()
        self._write()
        if self.is_over:
            self._read_rest()
        if self._outgoing.send() and self._end_queued:
            raise ChannelClosed

    def close(self) -> None:
        self._close_input()
        self._close_output()
        self._connection.close()

    @property
    def _may_read(self) -> bool:
        return self._from_program >= 0 and self._unacknowledged < WINDOW and len(self._outgoing) < OUTGOING_LIMIT

    def _receive(self, events: int) -> None:
        if events & select.EPOLLIN:
            data = self._connection.recv(CHUNK)
            if not data:
                raise ChannelClosed
            for header, body in self._received.feed(data):
                self._handle_frame(header, body)
        elif events & GONE:
            raise ChannelClosed

    def _handle_frame(self, header: frames.Header, body: bytes) -> None:
        match header.get("event"):
            case "chunk" if len(self._incoming) < WINDOW and not self._input_ends:
                self._incoming.append(memoryview(body))
            case "taken" if self._unacknowledged:
                self._unacknowledged -= 1
            case "end":
                self._input_ends = True
            case _:
                raise frames.FrameError("This frame is not allowed here.")

    def _write(self) -> None:
        while self._incoming:
            rest = self._incoming[0]
            if self._to_program >= 0 and rest:
                try:
                    self._incoming[0] = rest[os.write(self._to_program, rest) :]
                except BlockingIOError:
                    return
                except BrokenPipeError:  # the program no longer reads, but may still write
                    self._close_input()
            if self._to_program < 0 or not self._incoming[0]:
                self._incoming.popleft()
                self._outgoing.put({"event": "taken"})
        if self._input_ends or self.is_over:
            self._close_input()

    def _read(self) -> bool:
        """Read a chunk from the program. Returns False if there is none now."""
        if not self._may_read:
            return False
        try:
            chunk = os.read(self._from_program, CHUNK)
        except BlockingIOError:
            return False
        if chunk:
            self._unacknowledged += 1
            self._outgoing.put({"event": "chunk"}, chunk)
        else:
            self._close_output()
        return bool(chunk)

    def _read_rest(self) -> None:
        """Read the rest of an ended program's output, as far as flow control allows, then queue the exit code."""
        while self._read():
            pass
        if self._may_read:
            self._close_output()
        if self._from_program < 0 and not self._end_queued:
            self._end_queued = True
            end = {"ok": True, "end": self.job.reason or "exited", "exit_code": self.job.exit_code}
            self._outgoing.put(end, self._stderr.kept)

    def _close_input(self) -> None:
        if self._to_program >= 0:
            os.close(self._to_program)
            self._to_program = -1

    def _close_output(self) -> None:
        if self._from_program >= 0:
            os.close(self._from_program)
            self._from_program = -1


class FrameQueue:
    """Frames to send on a connection. Its length is the number of bytes that are not yet sent."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self._waiting = bytearray()

    def __len__(self) -> int:
        return len(self._waiting)

    def put(self, header: frames.Header, body: bytes = b"") -> None:
        self._waiting += frames.encode_head(header, len(body)) + body

    def send(self) -> bool:
        """Send as much as the connection takes without blocking. Returns whether nothing is left."""
        while self._waiting:
            try:
                sent = self._connection.send(self._waiting)
            except BlockingIOError:
                return False
            del self._waiting[:sent]
        return True


class FrameBuffer:
    """A buffer that splits received bytes into frames of the sizes that a channel allows."""

    def __init__(self) -> None:
        self._bytes = bytearray()

    def feed(self, data: bytes) -> Iterator[tuple[frames.Header, bytes]]:
        """Yield the frames that are complete. Raises FrameError if one is malformed or too large."""
        self._bytes += data
        while len(self._bytes) >= frames.PREFIX.size:
            header_size, body_size = frames.PREFIX.unpack_from(self._bytes)
            if header_size > HEADER_LIMIT or body_size > CHUNK_LIMIT:
                raise frames.FrameError("A frame of a channel is too large.")
            begin, end = frames.PREFIX.size + header_size, frames.PREFIX.size + header_size + body_size
            if len(self._bytes) < end:
                return
            header, body = bytes(self._bytes[frames.PREFIX.size : begin]), bytes(self._bytes[begin:end])
            del self._bytes[:end]
            yield frames.decode_header(header), body
