"""Read a gzip stream of untrusted origin. A separate thread receives and decompresses pieces ahead of the reader.

Decompressing takes about as long as creating the files in an archive, and both release Python's lock, so two processors
share the work.
"""

import queue
import threading
import zlib
from collections.abc import Callable
from types import TracebackType
from typing import Final, Self

from . import tar
from .archive import GZIP_WBITS
from .errors import LIMIT_REACHED, Refusal

PIECE_BYTES: Final = 1 << 20  # decompressed at a time
PIECES_AHEAD: Final = 4


class GzipReader:
    """A reader of exact numbers of bytes from a gzip stream. A context manager: its thread runs during the block.

    `next_chunk` returns compressed bytes, b"" at the end; `limit` is the maximum number of decompressed bytes.
    """

    def __init__(self, next_chunk: Callable[[], bytes], limit: int) -> None:
        self._pieces = _Pieces(next_chunk, limit)
        self._ahead: queue.Queue[bytes | BaseException] = queue.Queue(PIECES_AHEAD)
        self._ready = bytearray()
        self._is_left = False
        self._has_thread = False

    def __enter__(self) -> Self:
        try:
            threading.Thread(target=self._decompress_ahead, name="gzip", daemon=True).start()
            self._has_thread = True
        except RuntimeError:  # the container has no process left: one thread does everything
            self._has_thread = False
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End the thread: at once if its queue is full, otherwise when it has its next chunk."""
        self._is_left = True
        while not self._ahead.empty():
            self._ahead.get()

    def read(self, size: int) -> bytes:
        """Return the next bytes. Raises Refusal if the stream ends too early, is damaged, or exceeds the limit."""
        while len(self._ready) < size:
            piece = self._next_piece()
            if not piece:
                raise tar.malformed("no proper end: it is truncated")
            self._ready += piece
        with memoryview(self._ready) as ready:
            taken = bytes(ready[:size])
        del self._ready[:size]
        return taken

    def allow(self, more: int) -> None:
        """Raise the limit of decompressed bytes by `more`. Bytes that were read ahead are already counted."""
        self._pieces.room += more

    def finish(self) -> None:
        """Read to the end of the stream, where zlib verifies the checksum."""
        while self._next_piece():
            pass

    def _next_piece(self) -> bytes:
        if not self._has_thread:
            return self._pieces.next()
        piece = self._ahead.get()
        if isinstance(piece, BaseException):
            raise piece
        return piece

    def _decompress_ahead(self) -> None:
        piece: bytes | BaseException = b"first"
        while piece and not self._is_left and not isinstance(piece, BaseException):
            try:
                piece = self._pieces.next()
            except BaseException as error:  # noqa: BLE001 - whoever reads gets it
                piece = error
            self._ahead.put(piece)


class _Pieces:
    """The decompressed pieces of a gzip stream."""

    def __init__(self, next_chunk: Callable[[], bytes], limit: int) -> None:
        self._next_chunk = next_chunk
        self._decompressor = zlib.decompressobj(GZIP_WBITS)
        self.room = limit

    def next(self) -> bytes:
        """Return the next piece of decompressed data; b"" at the end, after verifying the checksum. Raises Refusal."""
        while not self._decompressor.eof:
            packed = self._decompressor.unconsumed_tail or self._next_chunk()
            if not packed:
                raise tar.malformed("no proper end: it is truncated")
            try:
                piece = self._decompressor.decompress(packed, PIECE_BYTES)
            except zlib.error:
                raise tar.malformed("data that is not valid gzip") from None
            self.room -= len(piece)
            if self.room < 0:
                raise Refusal(LIMIT_REACHED, "The decompressed archive is larger than the limit for a restore.")
            if piece:
                return piece
        return b""
