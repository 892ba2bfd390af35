"""The files of snapshots: one compressed manifest for each, named by the hash of its text."""

import os
import struct
import zlib
from collections.abc import Iterator
from typing import Final

from .contents import TEMPORARY_SUFFIX, get_file, put_file
from .digests import sha256
from .errors import NOT_FOUND, Refusal
from .manifests import Manifest, compress, decompress, from_text, to_text

HASH_CHARACTERS: Final = 64
GONE: Final = "The files that the changes are compared with are not kept any more. Those of a single turn may be."
MAX_TEXT_BYTES: Final = 64 << 20  # of a manifest that comes from elsewhere


def id_of(manifest: Manifest) -> str:
    digest = sha256()
    for piece in to_text(manifest):
        digest.update(piece)
    return digest.hexdigest()


def packed_text(manifest: Manifest) -> tuple[str, bytes]:
    """Return the id of a manifest and its compressed text, in the form in which it is stored."""
    return id_of(manifest), b"".join(compress(to_text(manifest)))


class ManifestFiles:
    """A folder of stored manifests. The age of a manifest is the time since it was last stored or marked by `touch`."""

    def __init__(self, folder: str) -> None:
        self._folder = folder
        os.makedirs(folder, mode=0o700, exist_ok=True)

    def store(self, manifest: Manifest) -> tuple[str, bool]:
        """Store a manifest. Return its id, and whether it is new."""
        snapshot_id = id_of(manifest)
        if self.touch(snapshot_id):
            return snapshot_id, False
        put_file(self._path(snapshot_id), compress(to_text(manifest)))
        return snapshot_id, True

    def touch(self, snapshot_id: str) -> bool:
        """Mark a snapshot as the most recently used. Returns False if it is not stored."""
        try:
            os.utime(self._path(snapshot_id))
        except FileNotFoundError:
            return False
        return True

    def compressed(self, snapshot_id: str) -> bytes:
        """Return the compressed text of a manifest. Raises Refusal if it is not stored."""
        if len(snapshot_id) != HASH_CHARACTERS or not set(snapshot_id) <= set("0123456789abcdef"):
            raise Refusal(NOT_FOUND, "This is not the id of a snapshot.")
        try:
            return get_file(self._path(snapshot_id))
        except FileNotFoundError:
            raise Refusal(NOT_FOUND, GONE) from None

    def entries(self, snapshot_id: str) -> Iterator[tuple[bytes, bytes]]:
        """Yield each path of a snapshot with its packed `Recorded`. Raises Refusal if the snapshot is not stored."""
        return from_text(decompress(self.compressed(snapshot_id)))

    def restore(self, snapshot_id: str, compressed: bytes, *, at_ns: int) -> bool:
        """Store a manifest from an archive, and set its time to `at_ns`.

        Returns False if its text does not match its id.
        """
        digest = sha256()

        def pieces() -> Iterator[bytes]:
            left = MAX_TEXT_BYTES
            for piece in decompress(compressed):
                digest.update(piece)
                left -= len(piece)
                if left < 0:
                    raise ValueError("The manifest is too long.")
                yield piece

        try:
            for _ in from_text(pieces()):
                pass
        except (ValueError, struct.error, zlib.error):
            return False
        if digest.hexdigest() != snapshot_id:
            return False
        put_file(self._path(snapshot_id), [compressed])
        os.utime(self._path(snapshot_id), ns=(at_ns, at_ns))
        return True

    def by_age(self) -> list[str]:
        """Return the ids of all snapshots, the oldest first."""
        found = [entry for entry in os.scandir(self._folder) if not entry.name.endswith(TEMPORARY_SUFFIX)]
        return [entry.name for entry in sorted(found, key=lambda entry: entry.stat().st_mtime_ns)]

    def delete(self, snapshot_id: str) -> None:
        os.unlink(self._path(snapshot_id))

    def _path(self, snapshot_id: str) -> str:
        return f"{self._folder}/{snapshot_id}"
