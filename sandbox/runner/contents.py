"""Contents of files, stored once per hash and compressed, where the tool user has no access."""

import os
import threading
import zlib
from collections.abc import Container, Iterable
from typing import Final

from .digests import sha256

JOURNAL_RESERVE_BYTES: Final = 160 << 20
JOURNAL_RESERVE_INODES: Final = 100
"""Space left free on the runner's disk: no command can start if the journal cannot be written. Contents that do not fit
are recorded by hash only, like those of large files."""
TEMPORARY_SUFFIX: Final = ".new"
UNCHECKED_FILES: Final = 32
UNCHECKED_BYTES: Final = 4 << 20
"""So much is stored without asking the disk for its room again: little, compared with the reserve."""


class Contents:
    """Stores and returns contents. `folder` belongs to it."""

    def __init__(self, folder: str) -> None:
        self._folder = folder
        os.makedirs(folder, mode=0o700, exist_ok=True)
        self._unchecked_files = self._unchecked_bytes = 0

    def store(self, digest: str, content: bytes) -> bool:
        """Store a content unless it exists already. Returns False if there is no room for it."""
        path = self._path(digest)
        if not os.path.exists(path):
            if not self._may_have_room(len(content)):
                return False
            compressed = [zlib.compress(content, 1)]
            try:
                put_file(path, compressed)
            except FileNotFoundError:
                os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
                put_file(path, compressed)
        return True

    def _may_have_room(self, count: int) -> bool:
        """Return whether there was room a few contents ago. What threads count at once may be lost, which is little."""
        files, size = self._unchecked_files - 1, self._unchecked_bytes - count
        if files <= 0 or size <= 0:
            if not self.has_room():
                self._unchecked_files = 0
                return False
            files, size = UNCHECKED_FILES, UNCHECKED_BYTES
        self._unchecked_files, self._unchecked_bytes = files, size
        return True

    def read(self, digest: str) -> bytes:
        """Return a stored content. Raises OSError if it is not kept."""
        return zlib.decompress(get_file(self._path(digest)))

    def stored(self, digest: str) -> bytes | None:
        """Return a content compressed as it is stored. None if it is not kept."""
        try:
            return get_file(self._path(digest))
        except OSError:
            return None

    def find(self, digest: str) -> bytes | None:
        """Return a stored content. None if it is not kept, or damaged."""
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
        """Delete every content whose hash is not wanted."""
        for folder in os.scandir(self._folder):
            for blob in os.scandir(folder.path):
                if folder.name + blob.name not in wanted:
                    os.unlink(blob.path)

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
