"""Long streams of bytes within one request, as frames.

The sender waits for acknowledgements after every few frames, so neither peer nor the transport ever holds more than
those in memory.
"""

import socket
from typing import Final

from . import frames
from .errors import REFUSED, Refusal

WINDOW: Final = 4
"""Number of chunks that may be unacknowledged. The runner's own chunks have at most about 256 KiB."""
PIECE_BYTES: Final = 1 << 18
CHUNK_LIMIT: Final = 1 << 20  # bytes


class OutgoingStream:
    """A stream of chunks to the peer, which acknowledges each chunk with a frame."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self._unacknowledged = 0

    def send(self, chunk: bytes) -> None:
        """Send a chunk. Raises ConnectionError if the peer has disconnected."""
        frames.send(self._connection, {"event": "chunk"}, chunk)
        self._unacknowledged += 1
        self._wait_for(WINDOW - 1)

    def send_all(self, content: bytes) -> None:
        """Send content of any size in chunks."""
        for start in range(0, len(content), PIECE_BYTES):
            self.send(content[start : start + PIECE_BYTES])

    def finish(self) -> None:
        """Wait until every chunk is acknowledged."""
        self._wait_for(0)

    def _wait_for(self, open_chunks: int) -> None:
        while self._unacknowledged > open_chunks:
            if frames.receive(self._connection) is None:
                raise ConnectionError("The receiver of the stream has disconnected.")
            self._unacknowledged -= 1


class IncomingStream:
    """An incoming stream. Each chunk is acknowledged when the next one is requested."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self._owes_acknowledgement = False
        self._ended = False

    def next_chunk(self) -> bytes:
        """Return the next chunk, b"" at the end. Raises ConnectionError if the peer has disconnected."""
        if self._ended:
            return b""
        if self._owes_acknowledgement:
            frames.send(self._connection, {"event": "taken"})
        received = frames.receive(self._connection)
        if received is None:
            raise ConnectionError("The sender of the stream has disconnected.")
        header, chunk = received
        if len(chunk) > CHUNK_LIMIT:
            raise Refusal(REFUSED, f"A chunk of a stream must have at most {CHUNK_LIMIT} bytes.")
        self._owes_acknowledgement = True
        self._ended = header.get("event") == "end"
        return chunk if not self._ended else b""
