"""Frames over the unix socket that a runner listens on: the fast way, for an engine on the same machine."""

import asyncio
import os
import socket
import stat
from pathlib import Path
from typing import Final

from sandbox.client.transport import Frame
from sandbox.errors import ProtocolError, SandboxUnavailable
from sandbox.runner import frames

CHUNK: Final = 1 << 18
BUSY_PAUSE: Final = 0.01
BUSY_ATTEMPTS: Final = 200


class UnixSocketCarrier:
    """A fresh connection for each request: it costs less than keeping many requests apart on one."""

    def __init__(self, path: Path) -> None:
        self._path = path

    async def open(self) -> "UnixSocketChannel":
        for _ in range(BUSY_ATTEMPTS):
            try:
                return UnixSocketChannel(connect(self._path))
            except BlockingIOError:
                await asyncio.sleep(BUSY_PAUSE)  # its queue of connections is full
            except OSError as error:
                raise SandboxUnavailable(f"The sandbox's runner does not answer ({error.strerror}).") from error
        raise SandboxUnavailable("The sandbox's runner is too busy to answer.")

    async def close(self) -> None: ...


def connect(path: Path) -> socket.socket:
    """What lies in that directory is the container's word: no link is followed and only a socket is connected to."""
    handle = os.open(path, os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        if not stat.S_ISSOCK(os.fstat(handle).st_mode):
            raise ProtocolError("What the sandbox put in the place of its runner's socket is not a socket.")
        connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM | socket.SOCK_NONBLOCK)
        try:
            connection.connect(f"/proc/self/fd/{handle}")
        except BaseException:
            connection.close()
            raise
        return connection
    finally:
        os.close(handle)


class UnixSocketChannel:
    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self._received = bytearray()
        self._frames = 0

    async def send(self, header: frames.Header, body: bytes = b"") -> None:
        loop = asyncio.get_running_loop()
        head = frames.encode_head(header, len(body))
        try:
            if len(body) < frames.JOINED_BELOW:
                await loop.sock_sendall(self._connection, head + body)
            else:
                await loop.sock_sendall(self._connection, head)
                await loop.sock_sendall(self._connection, body)
        except OSError as error:
            raise SandboxUnavailable("The sandbox's runner stopped listening.") from error

    async def receive(self) -> Frame:
        """Lets others run between two frames: a runner that sends without a pause would otherwise never let go of the
        loop, and no deadline would pass."""
        if self._frames:
            await asyncio.sleep(0)
        self._frames += 1
        try:
            prefix = await self._exactly(frames.PREFIX.size)
            header_size, body_size = frames.PREFIX.unpack(prefix)
            frames.check_sizes(header_size, body_size)
            header = frames.decode_header(await self._exactly(header_size))
            return header, await self._exactly(body_size)
        except frames.FrameError as error:
            raise ProtocolError(f"The sandbox's runner sent what it never should: {error}") from error
        except OSError as error:
            raise SandboxUnavailable("The sandbox's runner stopped talking.") from error

    def close(self) -> None:
        self._connection.close()

    async def _exactly(self, size: int) -> bytes:
        loop = asyncio.get_running_loop()
        while len(self._received) < size:
            chunk = await loop.sock_recv(self._connection, max(CHUNK, min(size - len(self._received), 1 << 20)))
            if not chunk:
                raise SandboxUnavailable("The sandbox's runner closed the connection.")
            self._received += chunk
        taken = bytes(self._received[:size])
        del self._received[:size]
        return taken
