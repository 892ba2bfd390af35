"""Multiplex requests over one stdin and stdout, for engines whose sockets the service cannot reach.

Each frame carries a channel number; each channel is one connection to the runner's own socket. The bridge is started
beside the runner (`docker exec`) as root, so that commands cannot interfere with it.
"""

import contextlib
import os
import socket
import threading
from typing import Final

from . import frames, kernel
from .hardening import PR_SET_DUMPABLE

STDIN: Final = 0
STDOUT: Final = 1


class Pipe:
    """A pair of file descriptors with the socket methods that `frames` uses."""

    def __init__(self, reader: int, writer: int) -> None:
        self._reader = reader
        self._writer = writer

    def recv(self, size: int) -> bytes:
        return os.read(self._reader, size)

    def sendall(self, data: bytes) -> None:
        rest = memoryview(data)
        while rest:
            rest = rest[os.write(self._writer, rest) :]


class Bridge:
    """A forwarder of frames between a pipe and the runner's socket, with one connection to the runner per channel."""

    def __init__(self, path: str, pipe: Pipe) -> None:
        self._path = path
        self._pipe = pipe
        self._writing = threading.Lock()
        self._connections: dict[int, socket.socket] = {}

    def serve(self) -> None:
        """Forward frames until the client closes stdin."""
        while received := frames.receive(self._pipe):
            header, body = received
            channel = int(header["channel"])
            if header.get("close"):
                self._close(channel)
            elif header.get("more"):
                self._continue_request(channel, header["header"], body)
            else:
                self._open(channel, header["header"], body)

    def _continue_request(self, channel: int, header: frames.Header, body: bytes) -> None:
        """Send another frame of an open request to the runner. The frame is dropped if the channel has been closed
        meanwhile."""
        if connection := self._connections.get(channel):
            with contextlib.suppress(OSError):
                frames.send(connection, header, body)

    def _open(self, channel: int, header: frames.Header, body: bytes) -> None:
        connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            connection.connect(self._path)
            frames.send(connection, header, body)
            self._connections[channel] = connection
            threading.Thread(target=self._forward_response, args=(channel, connection), daemon=True).start()
        except (OSError, RuntimeError):  # RuntimeError: no thread could be started under the process limit
            connection.close()
            self._connections.pop(channel, None)
            self._send({"channel": channel, "closed": True})

    def _forward_response(self, channel: int, connection: socket.socket) -> None:
        with contextlib.suppress(OSError, frames.FrameError), connection:
            while received := frames.receive(connection):
                self._send({"channel": channel, "header": received[0]}, received[1])
        self._connections.pop(channel, None)
        self._send({"channel": channel, "closed": True})

    def _close(self, channel: int) -> None:
        if connection := self._connections.pop(channel, None):
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)

    def _send(self, header: frames.Header, body: bytes = b"") -> None:
        with self._writing:
            frames.send(self._pipe, header, body)


def main(path: str) -> None:
    kernel.prctl(PR_SET_DUMPABLE, 0)
    with contextlib.suppress(OSError, frames.FrameError):
        Bridge(path, Pipe(STDIN, STDOUT)).serve()
    os._exit(0)
