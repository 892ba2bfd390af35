"""Names of the files that git tracks, from its index. Format: gitformat-index(5), versions 2 and 3."""

import struct
from typing import Final

_HEADER: Final = struct.Struct(">4sII")
_EXTENSION: Final = struct.Struct(">4sI")
_FIXED_BYTES: Final = 62  # of an entry, up to its name; with SHA-1
_FLAGS_AT: Final = 60
_EXTENDED: Final = 0x4000
_CHECKSUM_BYTES: Final = 20
_ELSEWHERE: Final = frozenset({b"link", b"sdir"})
"""Extensions of an index that does not list every file: entries are in another file (`link`), or stand for whole
folders (`sdir`)."""


def tracked_names(index: bytes) -> list[str] | None:
    """Return the paths in an index, relative to the repository; None if it is damaged or of another format."""
    try:
        signature, version, count = _HEADER.unpack_from(index)
        if signature != b"DIRC" or version not in {2, 3} or count * _FIXED_BYTES > len(index):
            return None
        names, position = [], _HEADER.size
        for _ in range(count):
            name, position = _entry(index, position)
            names.append(name)
    except (struct.error, ValueError):
        return None
    return [name.decode("utf-8", "surrogateescape") for name in names] if _is_whole(index, names, position) else None


def _entry(index: bytes, start: int) -> tuple[bytes, int]:
    """Return the name of the entry at `start`, and the position of the next one."""
    (flags,) = struct.unpack_from(">H", index, start + _FLAGS_AT)
    begin = start + _FIXED_BYTES + (2 if flags & _EXTENDED else 0)
    end = index.index(b"\0", begin)
    return index[begin:end], end + 8 - (end - start) % 8


def _is_whole(index: bytes, names: list[bytes], position: int) -> bool:
    """Return whether the index lists all tracked files: its entries are in the order in which git writes them, and no
    entries are stored in another file."""
    while position + _EXTENSION.size <= len(index) - _CHECKSUM_BYTES:
        signature, size = _EXTENSION.unpack_from(index, position)
        if signature in _ELSEWHERE:
            return False
        position += _EXTENSION.size + size
    return names == sorted(names) and position == len(index) - _CHECKSUM_BYTES
