"""The attached stream of a process in a container. The engine marks each packet of output as stdout or stderr."""

import socket
import struct
from typing import Final

HEAD: Final = struct.Struct(">BxxxI")  # stream number, length of the packet
STDOUT: Final = 1


class ExecStream:
    """The streams of a `docker exec` as a `sandbox.client.stream.Duplex`; stderr is dropped."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self._connection.settimeout(None)
        self._left = 0

    def recv(self, size: int, /) -> bytes:
        while self._left == 0:
            head = self._exactly(HEAD.size)
            if not head:
                return b""
            kind, length = HEAD.unpack(head)
            if kind == STDOUT:
                self._left = length
            else:
                self._exactly(length)
        chunk = self._connection.recv(min(size, self._left))
        self._left -= len(chunk)
        return chunk

    def sendall(self, data: bytes, /) -> None:
        self._connection.sendall(data)

    def close(self) -> None:
        """Close the connection and wake a thread that reads from it, which `close` of a socket alone does not do."""
        try:
            self._connection.shutdown(socket.SHUT_RDWR)
        finally:
            self._connection.close()

    def _exactly(self, size: int) -> bytes:
        parts = bytearray()
        while len(parts) < size:
            chunk = self._connection.recv(size - len(parts))
            if not chunk:
                return b""
            parts += chunk
        return bytes(parts)
