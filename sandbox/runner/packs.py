"""Packs: files that contain many contents each, because creating a file for each of 120,000 contents is most of the
work of storing them.

A pack consists of `<name>.pack`, compressed contents one after another, and `<name>.index`, their positions. The index
is written last, so a pack is complete or absent, even if the runner is killed.

An index has records of 44 bytes in 256 groups by the first byte of the hash, after a table with the positions of the
groups.
"""

import os
import secrets
import struct
from collections.abc import Container, Iterator
from contextlib import suppress
from typing import Final

RECORD: Final = struct.Struct(">32sQI")  # hash, offset, length
GROUPS: Final = 256
PLACES: Final = struct.Struct(f">{GROUPS + 1}I")
PLACE: Final = struct.Struct(">II")
PACK, INDEX, UNFINISHED = ".pack", ".index", ".unfinished"
BUFFER_BYTES: Final = 1 << 20
ATTEMPTS: Final = 3  # to read from a pack that is being replaced
COST: Final = 56  # bytes of memory for a content in a pack that is being written


class PackWriter:
    """A pack that is being written. It must not be read before it is saved."""

    def __init__(self, folder: str) -> None:
        self.name = secrets.token_hex(8)
        self.count = 0
        self._path = f"{folder}/{self.name}"
        self._groups = [bytearray() for _ in range(GROUPS)]
        self._offset = 0
        self._file = open(self._path + UNFINISHED, "wb", buffering=BUFFER_BYTES)  # noqa: SIM115

    def has(self, digest: bytes) -> bool:
        return _record_in(self._groups[digest[0]], digest) is not None

    def add(self, digest: bytes, compressed: bytes) -> None:
        self._file.write(compressed)
        self._groups[digest[0]] += RECORD.pack(digest, self._offset, len(compressed))
        self._offset += len(compressed)
        self.count += 1

    def contents(self) -> Iterator[tuple[bytes, bytes]]:
        """Yield the hash and the compressed content of each entry in the unfinished pack."""
        self._file.flush()
        with open(self._path + UNFINISHED, "rb") as file:
            for digest, offset, length in _records(b"".join(self._groups)):
                yield digest, os.pread(file.fileno(), length, offset)

    def save(self) -> None:
        self._file.close()
        places = [0]
        for group in self._groups:
            places.append(places[-1] + len(group) // RECORD.size)
        with open(self._path + INDEX + UNFINISHED, "wb") as file:
            file.write(PLACES.pack(*places))
            file.writelines(self._groups)
        os.rename(self._path + UNFINISHED, self._path + PACK)
        os.rename(self._path + INDEX + UNFINISHED, self._path + INDEX)

    def discard(self) -> None:
        """Delete the pack unless it was saved."""
        with suppress(OSError):
            self._file.close()
        for end in (UNFINISHED, INDEX + UNFINISHED):
            with suppress(FileNotFoundError):
                os.unlink(self._path + end)


class Packs:
    """All packs in a folder of their own. Only one thread at a time may change them; others may read meanwhile."""

    def __init__(self, folder: str) -> None:
        self._folder = folder
        os.makedirs(folder, mode=0o700, exist_ok=True)
        found = os.listdir(folder)
        self._names = tuple(name.removesuffix(INDEX) for name in found if name.endswith(INDEX))
        for name in found:
            if name.partition(".")[0] not in self._names or name.endswith(UNFINISHED):
                os.unlink(f"{folder}/{name}")

    def writer(self) -> PackWriter:
        return PackWriter(self._folder)

    def add(self, writer: PackWriter) -> None:
        writer.save()
        self._names = (*self._names, writer.name)

    def has(self, digest: bytes) -> bool:
        return self._find(digest) is not None

    def read(self, digest: bytes) -> bytes | None:
        """Return the compressed content with this hash; None if no pack has it."""
        for _ in range(ATTEMPTS):
            if (found := self._find(digest)) is None:
                return None
            name, offset, length = found
            try:
                with open(self._path(name, PACK), "rb", buffering=0) as file:
                    return os.pread(file.fileno(), length, offset)
            except FileNotFoundError:  # it has just been replaced
                continue
        return None

    def delete_all_but(self, wanted: Container[str]) -> None:
        """Delete packs without any wanted content, and rewrite packs in which less than half of the bytes are wanted.
        Some unwanted contents may stay."""
        for name in self._names:
            records = self._records(name)
            kept = [record for record in records if record[0].hex() in wanted]
            if 2 * sum(length for _, _, length in kept) >= sum(length for _, _, length in records) > 0:
                continue
            if not kept or self._copy(name, kept):
                self._names = tuple(each for each in self._names if each != name)
                os.unlink(self._path(name, INDEX))
                os.unlink(self._path(name, PACK))

    def _copy(self, name: str, records: list[tuple[bytes, int, int]]) -> bool:
        """Write a new pack with some of the contents of another one. Returns False if there is no room on the disk."""
        writer = self.writer()
        try:
            with open(self._path(name, PACK), "rb", buffering=0) as file:
                for digest, offset, length in records:
                    writer.add(digest, os.pread(file.fileno(), length, offset))
            self.add(writer)
        except OSError:
            return False
        finally:
            writer.discard()
        return True

    def _find(self, digest: bytes) -> tuple[str, int, int] | None:
        names = self._names
        for name in names:
            try:
                with open(self._path(name, INDEX), "rb", buffering=0) as file:
                    start, end = PLACE.unpack(os.pread(file.fileno(), PLACE.size, digest[0] * 4))
                    place = PLACES.size + start * RECORD.size
                    group = os.pread(file.fileno(), (end - start) * RECORD.size, place)
            except FileNotFoundError:  # it has just been replaced
                continue
            if (found := _record_in(group, digest)) is not None:
                return (name, *found)
        return None if names is self._names else self._find(digest)

    def _records(self, name: str) -> list[tuple[bytes, int, int]]:
        with open(self._path(name, INDEX), "rb") as file:
            file.seek(PLACES.size)
            return list(_records(file.read()))

    def _path(self, name: str, end: str) -> str:
        return f"{self._folder}/{name}{end}"


def _record_in(group: bytes | bytearray, digest: bytes) -> tuple[int, int] | None:
    """Return the offset and length of the content with the hash `digest`; None if the index group has no record of
    it."""
    at = group.find(digest)
    while at % RECORD.size and at >= 0:
        at = group.find(digest, at + 1)
    if at < 0:
        return None
    _, offset, length = RECORD.unpack_from(group, at)
    return offset, length


def _records(index: bytes) -> Iterator[tuple[bytes, int, int]]:
    yield from RECORD.iter_unpack(index)
