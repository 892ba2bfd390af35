"""A program and whoever talks to it: what was said by one and not yet heard by the other.

Both directions have a window of chunks that were not taken yet. So a side that does not read holds up nobody but the
other one, and neither the runner nor what carries the frames ever keeps more than a few chunks.
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

CHUNK: Final = 1 << 16
HEADER_LIMIT: Final = 1_024
OUTGOING_LIMIT: Final = 1 << 18
GONE: Final = select.EPOLLHUP | select.EPOLLERR | select.EPOLLRDHUP


class Gone(Exception):
    """Nobody listens any more, or all was said."""


class Words(Protocol):
    kept: bytes


class Dialogue:
    """`is_over`: the program has ended. It takes over the connection and both descriptors."""

    def __init__(self, job: Job, words: Words, to_program: int, from_program: int, connection: socket.socket) -> None:
        self.job = job
        self.is_over = False
        self._words = words
        self._to_program = to_program
        self._from_program = from_program
        self._connection = connection
        connection.setblocking(False)
        self._received = FrameBuffer()
        self._incoming: deque[memoryview] = deque()
        self._input_ends = False
        self._outgoing = bytearray()
        self._untaken = 0
        self._has_said_all = False

    @property
    def has_nothing_to_hear(self) -> bool:
        """It runs, and has closed its stdout."""
        return self._from_program < 0 and not self.is_over

    def wanted(self) -> dict[int, int]:
        """The descriptors to watch, and for which events. A pipe that nothing is wanted of must not be watched: its
        other end's closing would be told for ever."""
        listener = select.EPOLLIN | select.EPOLLRDHUP | (select.EPOLLOUT if self._outgoing else 0)
        wanted = {self._connection.fileno(): listener}
        if self._to_program >= 0 and self._incoming:
            wanted[self._to_program] = select.EPOLLOUT
        if self._may_read:
            wanted[self._from_program] = select.EPOLLIN
        return wanted

    def go_on(self, ready: tuple[int, int] | None) -> None:
        """Carry what can be carried without waiting. Gone, FrameError or OSError when it cannot go on."""
        fd, events = ready or (-1, 0)
        if fd == self._connection.fileno():
            self._listen(events)
        elif fd == self._from_program and fd >= 0:
            self._read()
        self._write()
        if self.is_over:
            self._read_rest()
        self._flush()

    def close(self) -> None:
        self._close_input()
        self._close_output()
        self._connection.close()

    @property
    def _may_read(self) -> bool:
        return self._from_program >= 0 and self._untaken < WINDOW and len(self._outgoing) < OUTGOING_LIMIT

    def _listen(self, events: int) -> None:
        if events & select.EPOLLIN:
            data = self._connection.recv(CHUNK)
            if not data:
                raise Gone
            for header, body in self._received.feed(data):
                self._take(header, body)
        elif events & GONE:
            raise Gone

    def _take(self, header: frames.Header, body: bytes) -> None:
        match header.get("event"):
            case "chunk" if len(self._incoming) < WINDOW and not self._input_ends:
                self._incoming.append(memoryview(body))
            case "taken" if self._untaken:
                self._untaken -= 1
            case "end":
                self._input_ends = True
            case _:
                raise frames.FrameError("This frame was not expected.")

    def _write(self) -> None:
        while self._incoming:
            rest = self._incoming[0]
            if self._to_program >= 0 and rest:
                try:
                    self._incoming[0] = rest[os.write(self._to_program, rest) :]
                except BlockingIOError:
                    return
                except BrokenPipeError:  # it reads no more, but may still have something to say
                    self._close_input()
            if self._to_program < 0 or not self._incoming[0]:
                self._incoming.popleft()
                self._say({"event": "taken"})
        if self._input_ends or self.is_over:
            self._close_input()

    def _read(self) -> bool:
        """False when there is nothing now."""
        if not self._may_read:
            return False
        try:
            chunk = os.read(self._from_program, CHUNK)
        except BlockingIOError:
            return False
        if chunk:
            self._untaken += 1
            self._say({"event": "chunk"}, chunk)
        else:
            self._close_output()
        return bool(chunk)

    def _read_rest(self) -> None:
        """What it said before it ended, as far as there is room; then how it ended."""
        while self._read():
            pass
        if self._may_read:
            self._close_output()
        if self._from_program < 0 and not self._has_said_all:
            self._has_said_all = True
            end = {"ok": True, "end": self.job.reason or "exited", "exit_code": self.job.exit_code}
            self._say(end, self._words.kept)

    def _say(self, header: frames.Header, body: bytes = b"") -> None:
        self._outgoing += frames.encode_head(header, len(body)) + body

    def _flush(self) -> None:
        while self._outgoing:
            try:
                sent = self._connection.send(self._outgoing)
            except BlockingIOError:
                return
            del self._outgoing[:sent]
        if self._has_said_all:
            raise Gone

    def _close_input(self) -> None:
        if self._to_program >= 0:
            os.close(self._to_program)
            self._to_program = -1

    def _close_output(self) -> None:
        if self._from_program >= 0:
            os.close(self._from_program)
            self._from_program = -1


class FrameBuffer:
    """Frames from bytes as they come, of the sizes that a dialogue has."""

    def __init__(self) -> None:
        self._bytes = bytearray()

    def feed(self, data: bytes) -> Iterator[tuple[frames.Header, bytes]]:
        """Raises FrameError for what is none."""
        self._bytes += data
        while len(self._bytes) >= frames.PREFIX.size:
            header_size, body_size = frames.PREFIX.unpack_from(self._bytes)
            if header_size > HEADER_LIMIT or body_size > CHUNK_LIMIT:
                raise frames.FrameError("A frame of a dialogue is too large.")
            begin, end = frames.PREFIX.size + header_size, frames.PREFIX.size + header_size + body_size
            if len(self._bytes) < end:
                return
            header, body = bytes(self._bytes[frames.PREFIX.size : begin]), bytes(self._bytes[begin:end])
            del self._bytes[:end]
            yield frames.decode_header(header), body
