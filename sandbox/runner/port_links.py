"""Connections from clients to ports of the workspace, served by the loop of the terminals.

The client and the runner exchange chunks, with a window of unacknowledged ones in each direction, so a side that does
not read delays only the other side. The program sees a connection over loopback.
"""

import errno
import select
import socket
import time
from collections import deque
from collections.abc import Mapping
from typing import Any, Final, NoReturn

from . import frames
from .errors import LIMIT_REACHED, NOT_FOUND, REFUSED, Refusal
from .listeners import ADDRESSES, LISTED_LIMIT, Listener, listeners
from .stdio import ConnectionHandedOver
from .stdio_buffers import CHUNK, GONE, OUTGOING_LIMIT, ChannelClosed, FrameBuffer, FrameQueue
from .streams import WINDOW
from .terminal_loop import TerminalLoop

LINKS_LIMIT: Final = 64  # per workspace
PIECE_LIMIT: Final = 1 << 16  # bytes of one chunk from the client
CONNECT_TIMEOUT: Final = 5.0  # seconds
FAMILIES: Final = {4: socket.AF_INET, 6: socket.AF_INET6}


class PortLinks:
    """The ports that programs of the workspace listen on, and the clients' connections to these ports."""

    def __init__(self, uid: int, loop: TerminalLoop) -> None:
        self._uid = uid
        self._loop = loop
        self._links: set[PortLink] = set()

    def listed(self) -> list[dict[str, int]]:
        """Return the ports that programs listen on, the smallest first, at most LISTED_LIMIT."""
        return [each._asdict() for each in listeners(self._uid)[:LISTED_LIMIT]]

    def connect(self, header: Mapping[str, Any], connection: socket.socket) -> NoReturn:
        """Connect to a port, and pass the client's connection to the loop.

        Raises Refusal if nothing listens on the port, or if the workspace has too many connections to its ports.
        """
        port = header.get("port")
        if type(port) is not int:
            raise Refusal(REFUSED, "The request's 'port' is not a number.")
        found = next((each for each in listeners(self._uid) if each.port == port), None)
        if found is None:
            raise nothing_there(port)
        if len(self._links) >= LINKS_LIMIT:
            raise Refusal(LIMIT_REACHED, f"The workspace has {LINKS_LIMIT} open connections to its ports already.")
        link = PortLink(found, connection.dup(), self._links)
        self._loop.submit(lambda: self._loop.add(link))
        raise ConnectionHandedOver


class PortLink:
    """One connection to a port of a program in the workspace. Everything but its construction happens on the loop's
    thread."""

    def __init__(self, to: Listener, client: socket.socket, among: "set[PortLink]") -> None:
        self._to = to
        self._client = client
        client.setblocking(False)
        self._among = among
        among.add(self)
        self._program = socket.socket(FAMILIES[to.family], socket.SOCK_STREAM | socket.SOCK_NONBLOCK)
        self._connecting_until = time.monotonic() + CONNECT_TIMEOUT
        self._is_connecting = True
        self._program.connect_ex((ADDRESSES[to.family], to.port))
        self._received = FrameBuffer()
        self._outgoing = FrameQueue(client)
        self._incoming: deque[memoryview] = deque()
        self._unacknowledged = 0
        self._program_ended = self._over = False

    def wanted(self) -> dict[int, int]:
        """Return the descriptors to poll, each with the events to poll for.

        The program's descriptor is left out while nothing is to be read or written there, because epoll would report
        its closed other end again and again.
        """
        events = select.EPOLLIN | select.EPOLLRDHUP | (select.EPOLLOUT if self._outgoing else 0)
        wanted = {self._client.fileno(): events}
        of_program = select.EPOLLOUT if self._is_connecting or self._incoming else 0
        of_program |= select.EPOLLIN if self._may_read else 0
        if of_program and not self._over:
            wanted[self._program.fileno()] = of_program
        return wanted

    def due(self) -> float:
        return self._connecting_until if self._is_connecting and not self._over else 0.0

    def transfer(self, fd: int, events: int) -> None:
        if fd == self._client.fileno():
            self._receive(events)
        if self._is_connecting:
            self._connect(is_ready=fd == self._program.fileno())
        if not self._is_connecting:
            self._write()
            self._read()
        if self._outgoing.send() and self._over:
            raise ChannelClosed

    def close(self) -> None:
        self._among.discard(self)
        self._program.close()
        self._client.close()

    @property
    def _may_read(self) -> bool:
        return (
            not self._is_connecting
            and not self._program_ended
            and self._unacknowledged < WINDOW
            and len(self._outgoing) < OUTGOING_LIMIT
        )

    def _connect(self, *, is_ready: bool) -> None:
        if not is_ready and time.monotonic() < self._connecting_until:
            return
        failure = self._program.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR) if is_ready else errno.ETIMEDOUT
        self._is_connecting = False
        if failure:
            refusal = nothing_there(self._to.port)
            self._finish({"error": refusal.code, "message": refusal.message})
        else:
            self._outgoing.put({"ok": True})

    def _receive(self, events: int) -> None:
        if events & select.EPOLLIN:
            data = self._client.recv(CHUNK)
            if not data:
                raise ChannelClosed
            for header, body in self._received.feed(data):
                self._handle_frame(header, body)
        elif events & GONE:
            raise ChannelClosed

    def _handle_frame(self, header: frames.Header, body: bytes) -> None:
        match header.get("event"):
            case "chunk" if len(self._incoming) < WINDOW and len(body) <= PIECE_LIMIT:
                self._incoming.append(memoryview(body))
            case "taken" if self._unacknowledged:
                self._unacknowledged -= 1
            case _:
                raise frames.FrameError("This frame is not allowed here.")

    def _write(self) -> None:
        while self._incoming:
            rest = self._incoming[0]
            if rest and not self._over:
                try:
                    self._incoming[0] = rest[self._program.send(rest) :]
                except BlockingIOError:
                    return
                except OSError:  # the program no longer reads; what it wrote before may still be there
                    self._incoming.clear()
                    return
            if self._over or not self._incoming[0]:
                self._incoming.popleft()
                self._outgoing.put({"event": "taken"})

    def _read(self) -> None:
        while self._may_read:
            try:
                chunk = self._program.recv(CHUNK)
            except BlockingIOError:
                return
            except OSError:
                chunk = b""
            if not chunk:
                self._program_ended = True
                self._finish({"ok": True, "end": "exited", "exit_code": 0})
                return
            self._unacknowledged += 1
            self._outgoing.put({"event": "chunk"}, chunk)

    def _finish(self, header: frames.Header) -> None:
        self._over = True
        self._outgoing.put(header)


def nothing_there(port: int) -> Refusal:
    return Refusal(NOT_FOUND, f"No program of the workspace answers on port {port}.")
