"""An archive back into a workspace. It may have been made by an enemy, and is unpacked as the tool user.

Each name is taken apart and walked beside descriptors, so that nothing lands but below the two roots: a link that the
archive itself made earlier is no way to anywhere. Hard links, devices, FIFOs and names that are none are left out and
counted; so is what stands in another's way. Of a mode only rwx is kept.
"""

import contextlib
import errno
import os
import zlib
from collections.abc import Callable
from typing import Any, Final

from . import tar
from .archive import ENTRIES_LIMIT, GZIP, ROOTS
from .errors import LIMIT_REACHED, Refusal
from .files import open_parent, write_all
from .privileges import Identity
from .tree import LONGEST_PATH, Place, Tree, open_exactly

FOREIGN: Final = frozenset({"", ".", ".."})
IN_THE_WAY: Final = frozenset(
    {errno.ELOOP, errno.EXDEV, errno.ENOTDIR, errno.EISDIR, errno.EPERM, errno.EACCES, errno.EEXIST, errno.ENOTEMPTY,
     errno.ENAMETOOLONG, errno.EINVAL, errno.ENOENT}
)  # fmt: skip
"""One entry fails with these, and not the whole."""
PIECE: Final = 1 << 20


class Restorer:
    def __init__(self, tree: Tree, identity: Identity) -> None:
        self._tree = tree
        self._identity = identity

    def restore(self, next_chunk: Callable[[], bytes], limit: int) -> dict[str, Any]:
        """`next_chunk` gives b"" at the end; `limit`: bytes that may come out of it."""
        restored = left_out = size = 0
        unpacked = Unpacked(next_chunk, limit)
        reader = tar.Reader(unpacked.read)
        with self._identity.as_tool_user():
            while entry := reader.next():
                if restored + left_out >= ENTRIES_LIMIT:
                    raise Refusal(LIMIT_REACHED, f"The archive has more than {ENTRIES_LIMIT:,} entries.")
                if self._put(entry, reader):
                    restored, size = restored + 1, size + entry.size
                else:
                    left_out += 1
        unpacked.finish()
        return {"entries": restored, "size": size, "left_out": left_out}

    def _put(self, entry: tar.Entry, reader: tar.Reader) -> bool:
        place = self._place(entry.name)
        if place is None or entry.kind == "other" or "\0" in entry.target:
            return False
        try:
            parent_fd, name = open_parent(place)
            try:
                put_entry(parent_fd, name, entry, reader)
            finally:
                os.close(parent_fd)
        except OSError as error:
            if error.errno in IN_THE_WAY:
                return False
            raise
        return True

    def _place(self, name: str) -> Place | None:
        """None for a name that leads nowhere or elsewhere."""
        root, *parts = name.split("/")
        if root not in ROOTS or not parts or not FOREIGN.isdisjoint(parts) or "\0" in name:
            return None
        if len(name) >= LONGEST_PATH:
            return None
        place = self._tree.locate(ROOTS[root])
        below = "/".join(parts)
        relative = below if place.is_root else f"{place.relative}/{below}"
        return Place(name, f"{place.real}/{below}", place.inside, place.base_fd, relative)


def put_entry(parent_fd: int, name: str, entry: tar.Entry, reader: tar.Reader) -> None:
    """In place of a file or link that is there already; never in place of a folder."""
    if entry.kind == "directory":
        with contextlib.suppress(FileExistsError):
            os.mkdir(name, 0o755, dir_fd=parent_fd)
        fd = open_exactly(parent_fd, name, os.O_RDONLY | os.O_DIRECTORY)
    else:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(name, dir_fd=parent_fd)
        if entry.kind == "symlink":
            os.symlink(entry.target, name, dir_fd=parent_fd)
            return
        fd = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600, dir_fd=parent_fd)
    try:
        for piece in reader.content() if entry.kind == "file" else ():
            write_all(fd, piece)
        os.fchmod(fd, entry.mode & 0o777)
        os.utime(fd, (entry.modified, entry.modified))
    finally:
        os.close(fd)


class Unpacked:
    """Bytes of a gzip stream, so many at a time, and never more in memory than a piece of it."""

    def __init__(self, next_chunk: Callable[[], bytes], limit: int) -> None:
        self._next_chunk = next_chunk
        self._unpacker = zlib.decompressobj(GZIP)
        self._ready = bytearray()
        self._room = limit

    def read(self, size: int) -> bytes:
        while len(self._ready) < size:
            self._unpack()
        taken = bytes(self._ready[:size])
        del self._ready[:size]
        return taken

    def finish(self) -> None:
        """To the checksum at the end, which tells whether all of it was whole."""
        while not self._unpacker.eof:
            self._unpack()
            self._ready.clear()

    def _unpack(self) -> None:
        packed = self._unpacker.unconsumed_tail or self._next_chunk()
        if not packed or self._unpacker.eof:
            raise tar.malformed("an end too early")
        try:
            piece = self._unpacker.decompress(packed, PIECE)
        except zlib.error:
            raise tar.malformed("bytes that were never compressed") from None
        self._room -= len(piece)
        if self._room < 0:
            raise Refusal(LIMIT_REACHED, "The archive holds more than may be restored.")
        self._ready += piece
