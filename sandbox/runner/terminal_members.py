"""Terminals and their watchers, served by the loop of the terminals. Everything here runs on the loop's thread."""

import fcntl
import os
import select
import socket
import struct
import termios
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final, NamedTuple, Protocol

from . import frames
from .processes import Job
from .stdio_buffers import GONE, ChannelClosed, FrameBuffer, FrameQueue
from .streams import CHUNK_LIMIT, WINDOW
from .terminal_loop import TerminalLoop
from .terminal_output import TerminalOutput

READ_BYTES: Final = 1 << 16  # read at a time; Linux gives at most 4 KiB
SLICE_SECONDS: Final = 0.125
SLICE_BYTES: Final = 1 << 17  # of output that are read of one terminal in each slice of time: 1 MiB in a second
PIECE_BYTES: Final = 1 << 16  # of output in one frame
SEND_EVERY: Final = 0.016  # seconds between two frames to a watcher; what comes in between is sent together
OUTGOING_LIMIT: Final = 1 << 18  # bytes to send to a watcher, above which nothing is added
INPUT_LIMIT: Final = 1 << 16  # bytes that may wait to be typed for an agent
ENDED_KEPT: Final = 1 << 16  # bytes of output kept of an ended terminal
MAX_SIZE: Final = 1_000  # rows or columns
KNOWN_INPUTS: Final = 256  # ids of input that a terminal remembers
INTERRUPTS: Final = (b"\x03", b"\x1a", b"\x1c")
"""Keys that must not wait behind other input that the program does not read: interrupt, suspend, quit."""


class Size(NamedTuple):
    rows: int
    columns: int

    @classmethod
    def parse(cls, header: frames.Header) -> "Size":
        """Return the size in a frame header. Raises FrameError unless rows and columns are from 1 to MAX_SIZE."""
        size = cls(header.get("rows"), header.get("columns"))  # type: ignore[arg-type]
        if not all(type(number) is int and 1 <= number <= MAX_SIZE for number in size):
            raise frames.FrameError(f"A terminal has 1 to {MAX_SIZE} rows and columns.")
        return size


class Typed(NamedTuple):
    """Input that is not yet written to the terminal. `on_taken` is called after it was written."""

    data: memoryview
    on_taken: Callable[[], None]


class Program(Protocol):
    """The description of a program that a terminal starts: its command line, label and size."""

    @property
    def terminal_id(self) -> str: ...
    @property
    def label(self) -> dict[str, str]: ...
    @property
    def command(self) -> str: ...
    @property
    def size(self) -> Size: ...


class Terminal:
    """One shell or command on a pseudo-terminal, whose master end this object owns."""

    def __init__(self, program: Program, *, master: int, loop: TerminalLoop) -> None:
        self.terminal_id = program.terminal_id
        self.label = program.label
        self.command = program.command
        self.output = TerminalOutput()
        self.watchers: set[Watcher] = set()
        self.job: Job | None = None
        self.size = program.size
        self.is_over = False
        self.is_closing = False
        self.input_at = self.output_at = time.time()
        self._loop = loop
        self._master = master
        self._has_hung_up = False
        self._typed: deque[Typed] = deque()
        self._input_ids: deque[str] = deque(maxlen=KNOWN_INPUTS)
        self._slice_ends = self._paused_until = 0.0
        self._slice_left = 0
        self.resize(self.size)

    def as_fields(self) -> dict[str, Any]:
        """Return the terminal's fields for a list of terminals."""
        job = self.job
        return {
            "id": self.terminal_id,
            "label": self.label,
            "command": self.command,
            "rows": self.size.rows,
            "columns": self.size.columns,
            "started_at": job.started_at if job else 0.0,
            "input_at": self.input_at,
            "output_at": self.output_at,
            "total": self.output.total,
            "end": self.reason if self.is_over else "",
            "exit_code": job.exit_code if job else -1,
            "watchers": len(self.watchers),
            "busy": self.is_busy,
        }

    @property
    def reason(self) -> str:
        """Return why the terminal ended. The shell of a terminal that is being closed may exit before the supervisor
        stops it."""
        if self.is_closing:
            return "closed"
        return (self.job.reason if self.job else "") or "exited"

    @property
    def is_busy(self) -> bool:
        """Return whether a program other than the shell runs in the foreground."""
        if self.is_over or self._master < 0 or self.job is None:
            return False
        if self.command:
            return True
        with suppress(OSError):
            return os.tcgetpgrp(self._master) not in (0, self.job.pid)
        return False

    def resize(self, size: Size) -> None:
        """Set the size, and send it to the watchers."""
        self.size = size
        self._loop.submit(self._notify_all)
        if self._master >= 0:
            with suppress(OSError):
                fcntl.ioctl(self._master, termios.TIOCSWINSZ, struct.pack("HHHH", size.rows, size.columns, 0, 0))

    def type(self, data: bytes, on_taken: Callable[[], None] = lambda: None) -> None:
        """Queue input for the terminal. `on_taken` is called when it was written, or is no longer needed."""
        self.input_at = time.time()
        if data in INTERRUPTS:
            self._discard()
        self._typed.append(Typed(memoryview(data), on_taken))
        self._loop.submit(lambda: self._loop.serve(self))

    def try_to_type(self, data: bytes, input_id: str = "") -> bool:
        """Queue input for the terminal. Returns False if too much earlier input is still waiting for the program. Input
        with a known `input_id` is already queued, and is not queued again."""
        if input_id and input_id in self._input_ids:
            return True
        if sum(len(typed.data) for typed in self._typed) > INPUT_LIMIT and data not in INTERRUPTS:
            return False
        if input_id:
            self._input_ids.append(input_id)
        self.type(data)
        return True

    def serve_later(self, watcher: "Watcher") -> None:
        self._loop.submit(lambda: self._loop.serve(watcher))

    def end(self) -> None:
        """Record the end of the terminal, after its shell and all processes started in it have ended."""
        self._read_rest()
        self.is_over = True
        self.output.shorten(ENDED_KEPT)
        self.close()
        self._notify_all()

    # the member

    def wanted(self) -> dict[int, int]:
        if self._master < 0 or self._has_hung_up:
            return {}
        events = (select.EPOLLOUT if self._typed else 0) | (0 if self._paused_until else select.EPOLLIN)
        return {self._master: events} if events else {}

    def due(self) -> float:
        return self._paused_until if self._master >= 0 else 0.0

    def transfer(self, fd: int, events: int) -> None:
        before = self.output.total
        if self._paused_until and time.monotonic() >= self._paused_until:
            self._paused_until = 0.0
        if events & (select.EPOLLIN | GONE) and not self._paused_until:
            self._read()
        self._write()
        if self.output.total != before:
            self.output_at = time.time()
            self._notify_all()

    def close(self) -> None:
        """Close the master end: the kernel hangs up on the shell."""
        if self._master >= 0:
            os.close(self._master)
            self._master = -1
        self._discard()

    def _read(self) -> None:
        """Read the available output, at most `SLICE_BYTES` in each slice of time."""
        now = time.monotonic()
        if now >= self._slice_ends:
            self._slice_ends, self._slice_left = now + SLICE_SECONDS, SLICE_BYTES
        while self._slice_left > 0:
            chunk = self._read_once()
            if not chunk:
                return
            self.output.feed(chunk)
            self._slice_left -= len(chunk)
        self._paused_until = self._slice_ends

    def _read_once(self) -> bytes:
        try:
            return os.read(self._master, READ_BYTES)
        except BlockingIOError:
            return b""
        except OSError:  # EIO: no process has the terminal open any more
            self._has_hung_up = True
            return b""

    def _read_rest(self) -> None:
        """Read the output that the programs wrote before they ended, as far as the kernel has kept it."""
        while self._master >= 0 and not self._has_hung_up and (chunk := self._read_once()):
            self.output.feed(chunk)

    def _write(self) -> None:
        while self._typed and self._master >= 0:
            data, on_taken = self._typed[0]
            try:
                written = os.write(self._master, data) if data else 0
            except BlockingIOError:
                return
            except OSError:
                self._has_hung_up = True
                self._discard()
                return
            if written < len(data):
                self._typed[0] = Typed(data[written:], on_taken)
                continue
            self._typed.popleft()
            on_taken()

    def _discard(self) -> None:
        while self._typed:
            self._typed.popleft().on_taken()

    def _notify_all(self) -> None:
        for watcher in list(self.watchers):
            self._loop.serve(watcher)


class Watcher:
    """A connection that gets a terminal's output and may send input."""

    def __init__(self, terminal: Terminal, connection: socket.socket, after: int | None) -> None:
        self._terminal = terminal
        self._connection = connection
        connection.setblocking(False)
        self._received = FrameBuffer()
        self._outgoing = FrameQueue(connection)
        self._position = -1 if after is None else after
        self._greeted = self._end_queued = False
        self._size: Size | None = None
        self._unacknowledged = self._open_inputs = 0
        self._next_at = 0.0
        terminal.watchers.add(self)

    def wanted(self) -> dict[int, int]:
        events = select.EPOLLIN | select.EPOLLRDHUP | (select.EPOLLOUT if self._outgoing else 0)
        return {self._connection.fileno(): events}

    def due(self) -> float:
        return self._next_at if self._has_news() and self._has_room() else 0.0

    def transfer(self, fd: int, events: int) -> None:
        if events & select.EPOLLIN:
            data = self._connection.recv(READ_BYTES)
            if not data:
                raise ChannelClosed
            for header, body in self._received.feed(data):
                self._handle_frame(header, body)
        elif events & GONE:
            raise ChannelClosed
        self._send_news()
        if self._outgoing.send() and self._end_queued:
            raise ChannelClosed

    def close(self) -> None:
        self._terminal.watchers.discard(self)
        self._connection.close()

    def _has_news(self) -> bool:
        over = self._terminal.is_over and not self._end_queued
        return not self._greeted or over or self._position < self._terminal.output.total

    def _has_room(self) -> bool:
        return self._unacknowledged < WINDOW and len(self._outgoing) < OUTGOING_LIMIT

    def _send_news(self) -> None:
        if self._size != self._terminal.size:
            self._size = self._terminal.size
            self._outgoing.put({"event": "size", "rows": self._size.rows, "columns": self._size.columns})
        while self._has_news() and self._has_room() and time.monotonic() >= self._next_at:
            self._send_piece()
        if self._terminal.is_over and self._position >= self._terminal.output.total and not self._end_queued:
            self._end_queued = True
            fields = self._terminal.as_fields()
            self._outgoing.put({"ok": True, "end": fields["end"], "exit_code": fields["exit_code"]})

    def _send_piece(self) -> None:
        """Queue the next piece of output. A piece after a gap in the output resets the client's screen."""
        output = self._terminal.output
        start, piece = output.since(self._position, PIECE_BYTES)
        resets = start != self._position
        if self._greeted and not piece:
            self._next_at = time.monotonic() + SEND_EVERY
            return
        self._outgoing.put(
            {"event": "output", "at": start + len(piece), "reset": resets},
            output.beginning() + piece if resets else piece,
        )
        self._greeted = True
        self._unacknowledged += 1
        self._position = start + len(piece)
        if len(piece) < PIECE_BYTES:
            self._next_at = time.monotonic() + SEND_EVERY

    def _handle_frame(self, header: frames.Header, body: bytes) -> None:
        match header.get("event"):
            case "taken" if self._unacknowledged:
                self._unacknowledged -= 1
            case "input" if len(body) <= CHUNK_LIMIT and (self._open_inputs < WINDOW or body in INTERRUPTS):
                self._open_inputs += 1
                self._terminal.type(body, self._take)
            case "resize":
                self._terminal.resize(Size.parse(header))
            case _:
                raise frames.FrameError("This frame is not allowed here.")

    def _take(self) -> None:
        self._open_inputs -= 1
        self._outgoing.put({"event": "taken"})
        self._terminal.serve_later(self)
