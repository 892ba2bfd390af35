"""Contents of files, stored compressed and once per hash, where the tool user has no access. Each is in a file of its
own, or many are together in a pack."""

import os
import threading
import zlib
from collections.abc import Container, Iterable, Iterator
from contextlib import contextmanager
from typing import Final

from .digests import sha256
from .packs import Packs, PackWriter

JOURNAL_RESERVE_BYTES: Final = 160 << 20
JOURNAL_RESERVE_INODES: Final = 100
"""Space left free on the runner's disk: no command can start if the journal cannot be written. Contents that do not fit
are recorded by hash only, like those of large files."""
TEMPORARY_SUFFIX: Final = ".new"
UNCHECKED_FILES: Final = 32
UNCHECKED_BYTES: Final = 4 << 20
"""Bytes that are stored between two checks of the free space: few, compared with the reserve."""
LEAST_PACKED: Final = 1_000  # contents; fewer get files of their own, so that there are few packs to look into


class Contents:
    """The stored contents of files, by hash. Nothing else may use `folder` or the folder `<folder>-packs` beside it."""

    def __init__(self, folder: str) -> None:
        self._folder = folder
        os.makedirs(folder, mode=0o700, exist_ok=True)
        self._packs = Packs(f"{folder}-packs")
        self._unchecked_files = self._unchecked_bytes = 0

    def store(self, digest: str, content: bytes, pack: PackWriter | None = None) -> bool:
        """Store a content, in `pack` if it is given, unless it is already stored. Returns False if there is no room."""
        raw, path = bytes.fromhex(digest), self._path(digest)
        if os.path.exists(path) or self._packs.has(raw) or (pack is not None and pack.has(raw)):
            return True
        if not self._may_have_room(len(content)):
            return False
        compressed = zlib.compress(content, 1)
        if pack is None:
            self._put(digest, compressed)
        else:
            pack.add(raw, compressed)
        return True

    @contextmanager
    def packing(self) -> Iterator[PackWriter]:
        """Write a pack with the contents that are stored during the block; if they are few, write single files instead.
        The contents can be read after the block; if writing fails, the pack is deleted. Only one thread at a time may
        pack or delete."""
        pack = self._packs.writer()
        try:
            yield pack
            if pack.count >= LEAST_PACKED:
                self._packs.add(pack)
            else:
                for digest, compressed in pack.contents():
                    self._put(digest.hex(), compressed)
        finally:
            pack.discard()

    def _put(self, digest: str, compressed: bytes) -> None:
        path = self._path(digest)
        try:
            put_file(path, [compressed])
        except FileNotFoundError:
            os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
            put_file(path, [compressed])

    def _may_have_room(self, count: int) -> bool:
        """Return whether there was room at the last check, which is repeated after UNCHECKED_FILES contents or
        UNCHECKED_BYTES. Threads that count at the same time may lose a count, which makes little difference."""
        files, size = self._unchecked_files - 1, self._unchecked_bytes - count
        if files <= 0 or size <= 0:
            if not self.has_room():
                self._unchecked_files = 0
                return False
            files, size = UNCHECKED_FILES, UNCHECKED_BYTES
        self._unchecked_files, self._unchecked_bytes = files, size
        return True

    def read(self, digest: str) -> bytes:
        """Return the content with this hash. Raises OSError if it is not stored."""
        return zlib.decompress(self._get(digest))

    def stored(self, digest: str) -> bytes | None:
        """Return the compressed form of the content with this hash; None if it is not stored."""
        try:
            return self._get(digest)
        except OSError:
            return None

    def _get(self, digest: str) -> bytes:
        try:
            return get_file(self._path(digest))
        except FileNotFoundError:
            if (packed := self._packs.read(bytes.fromhex(digest))) is None:
                raise
            return packed

    def find(self, digest: str) -> bytes | None:
        """Return the content with this hash; None if it is not stored, or damaged."""
        try:
            content = self.read(digest)
        except (OSError, zlib.error):
            return None
        return content if sha256(content).hexdigest() == digest else None

    def has_room(self) -> bool:
        disk = os.statvfs(self._folder)
        return disk.f_bavail * disk.f_frsize > JOURNAL_RESERVE_BYTES and (
            disk.f_favail > JOURNAL_RESERVE_INODES or not disk.f_files
        )

    def delete_all_but(self, wanted: Container[str]) -> None:
        """Delete every content whose hash is not wanted. A pack is rewritten only when more than half of it is not
        wanted."""
        for folder in os.scandir(self._folder):
            for blob in os.scandir(folder.path):
                if folder.name + blob.name not in wanted:
                    os.unlink(blob.path)
        self._packs.delete_all_but(wanted)

    def _path(self, digest: str) -> str:
        return f"{self._folder}/{digest[:2]}/{digest[2:]}"


def get_file(path: str) -> bytes:
    with open(path, "rb") as file:
        return file.read()


def put_file(path: str, pieces: Iterable[bytes]) -> None:
    """Write a file atomically: it is complete or absent, even if the runner is killed."""
    temporary = f"{path}.{threading.get_ident()}{TEMPORARY_SUFFIX}"
    with open(temporary, "wb", buffering=0) as file:
        for piece in pieces:
            written = 0
            while written < len(piece):
                written += file.write(piece[written:])
    os.rename(temporary, path)
