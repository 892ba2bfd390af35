"""A long stream of bytes inside one request, in frames. Whoever sends waits for a word after every few of them, so
neither side, nor what carries the frames, ever holds more than that in memory."""

import socket
from typing import Final

from . import frames
from .errors import REFUSED, Refusal

WINDOW: Final = 4
"""Chunks of at most 256 KiB that may be on their way."""
CHUNK_LIMIT: Final = 1 << 20


class Outgoing:
    """What the other side asked for; it answers each chunk with a frame."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self._unanswered = 0

    def send(self, chunk: bytes) -> None:
        """Raises ConnectionError when the other side has gone."""
        frames.send(self._connection, {"event": "chunk"}, chunk)
        self._unanswered += 1
        self._wait_for(WINDOW - 1)

    def finish(self) -> None:
        """Every chunk has been taken."""
        self._wait_for(0)

    def _wait_for(self, open_chunks: int) -> None:
        while self._unanswered > open_chunks:
            if frames.receive(self._connection) is None:
                raise ConnectionError("The receiver of the stream has gone.")
            self._unanswered -= 1


class Incoming:
    """What the other side sends; each chunk is answered when the next one is wanted."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self._owes_answer = False
        self._ended = False

    def next_chunk(self) -> bytes:
        """b"" at the end. Raises ConnectionError when the other side has gone."""
        if self._ended:
            return b""
        if self._owes_answer:
            frames.send(self._connection, {"event": "taken"})
        received = frames.receive(self._connection)
        if received is None:
            raise ConnectionError("The sender of the stream has gone.")
        header, chunk = received
        if len(chunk) > CHUNK_LIMIT:
            raise Refusal(REFUSED, "A chunk of the stream is too large.")
        self._owes_answer = True
        self._ended = header.get("event") == "end"
        return chunk if not self._ended else b""
