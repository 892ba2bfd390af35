"""Keep the end of an output that arrives in chunks."""

from sandbox.errors import ProtocolError


class Tail:
    """The last bytes of an output, assembled from chunks that carry their position."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._kept = bytearray()
        self._end = 0

    def add(self, position: int, chunk: bytes) -> None:
        if position < self._end:
            raise ProtocolError("The sandbox's runner sent the same output twice.")
        if position > self._end:
            self._kept.clear()
        self._kept += chunk
        self._end = position + len(chunk)
        if len(self._kept) > 2 * self._limit:
            del self._kept[: -self._limit or None]

    def last(self, size: int) -> bytes:
        return bytes(self._kept[-size:]) if size > 0 else b""
