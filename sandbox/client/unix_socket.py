"""The transport of requests to a runner over its Unix socket. It is the fastest transport, for engines on this machine
only."""

import asyncio
import os
import socket
import stat
from contextlib import suppress
from pathlib import Path
from typing import Final

from sandbox.client.transport import Frame
from sandbox.errors import ProtocolError, SandboxUnavailable
from sandbox.runner import frames

MIN_RECEIVE_BYTES: Final = 1 << 18  # buffer size of one recv
BUSY_RETRY_INTERVAL: Final = 0.01  # seconds
MAX_BUSY_ATTEMPTS: Final = 200
SO_SNDBUFFORCE: Final = 32  # of Linux; the socket module has no name for it
SEND_BUFFER_BYTES: Final = 4 << 20
"""Bytes that may be in transit to a runner. With the usual 208 KiB, both processes are scheduled for each such piece of
an archive, and on a busy machine each of them waits for a processor every time."""


class UnixSocketCarrier:
    """The transport of requests to a runner over its Unix socket. It opens a new connection for each request, which
    costs less than multiplexing requests on one connection."""

    def __init__(self, path: Path) -> None:
        self._path = path

    async def open(self) -> "UnixSocketChannel":
        for _ in range(MAX_BUSY_ATTEMPTS):
            try:
                return UnixSocketChannel(connect(self._path))
            except BlockingIOError:
                await asyncio.sleep(BUSY_RETRY_INTERVAL)  # the runner's queue of connections is full
            except OSError as error:
                raise SandboxUnavailable(f"The sandbox's runner does not answer ({error.strerror}).") from error
        raise SandboxUnavailable("The sandbox's runner is too busy to answer.")

    async def close(self) -> None: ...


def connect(path: Path) -> socket.socket:
    """Connect to the Unix socket at the path. Raises an error if the path is a symbolic link or anything else than a
    socket.

    The container controls the directory of the socket, so it may have placed anything there.
    """
    handle = os.open(path, os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        if not stat.S_ISSOCK(os.fstat(handle).st_mode):
            raise ProtocolError("The file in place of the socket of the sandbox's runner is not a socket.")
        connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM | socket.SOCK_NONBLOCK)
        try:
            with suppress(OSError):  # without the privilege, the buffer stays as it is
                connection.setsockopt(socket.SOL_SOCKET, SO_SNDBUFFORCE, SEND_BUFFER_BYTES)
            connection.connect(f"/proc/self/fd/{handle}")
        except BaseException:
            connection.close()
            raise
        return connection
    finally:
        os.close(handle)


class UnixSocketChannel:
    """A connection to the runner for one request and its answers."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self._received = bytearray()
        self._frames_received = 0

    async def send(self, header: frames.Header, body: bytes = b"") -> None:
        loop = asyncio.get_running_loop()
        head = frames.encode_head(header, len(body))
        try:
            if len(body) < frames.JOIN_BELOW_BYTES:
                await loop.sock_sendall(self._connection, head + body)
            else:
                await loop.sock_sendall(self._connection, head)
                await loop.sock_sendall(self._connection, body)
        except OSError as error:
            raise SandboxUnavailable("The connection to the sandbox's runner was lost while sending.") from error

    async def receive(self) -> Frame:
        """Receive one frame. Other tasks can run after each frame, because otherwise a runner that sends without a
        pause would block the event loop, and no timeout would take effect."""
        if self._frames_received:
            await asyncio.sleep(0)
        self._frames_received += 1
        try:
            prefix = await self._exactly(frames.PREFIX.size)
            header_size, body_size = frames.PREFIX.unpack(prefix)
            frames.check_sizes(header_size, body_size)
            header = frames.decode_header(await self._exactly(header_size))
            return header, await self._exactly(body_size)
        except frames.FrameError as error:
            raise ProtocolError(f"The sandbox's runner sent an invalid frame: {error}") from error
        except OSError as error:
            raise SandboxUnavailable("The connection to the sandbox's runner was lost while receiving.") from error

    def close(self) -> None:
        self._connection.close()

    async def _exactly(self, size: int) -> bytes:
        loop = asyncio.get_running_loop()
        while len(self._received) < size:
            chunk = await loop.sock_recv(
                self._connection, max(MIN_RECEIVE_BYTES, min(size - len(self._received), 1 << 20))
            )
            if not chunk:
                raise SandboxUnavailable("The sandbox's runner closed the connection.")
            self._received += chunk
        frame = bytes(self._received[:size])
        del self._received[:size]
        return frame
