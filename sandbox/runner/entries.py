"""Entries of the list of files that is kept in memory. An entry identifies a state of a file and contains the recorded
data about it.

It consists of the file's times, size and inode (`STAMP`), its whole mode (`MODE`), and a packed `Recorded`.
"""

import os
import stat
import struct
from collections import deque
from collections.abc import Collection, Iterable, Iterator
from typing import Any, Final

from .manifests import Manifest, recorded_in
from .tree import MAX_TIME_NS

STAMP: Final = struct.Struct("<qqqQ")
"""mtime, ctime, size, inode."""
MODE: Final = struct.Struct("<I")
KEPT_STEPS: Final = 8  # manifests, which share their entries
UNSETTLED: Final = bytes(STAMP.size)


def stored_hashes(entries: Iterable[bytes]) -> Iterator[str]:
    """Yield the content hash of each manifest entry whose content is stored on the runner's disk."""
    for recorded in map(recorded_in, entries):
        if recorded.stored:
            yield recorded.sha256


def state_of(entry: bytes | None) -> list[Any] | None:
    """Return the file's state in an entry: [whole mode, size, hash, whether the content is stored]."""
    if entry is None:
        return None
    recorded = recorded_in(entry)
    mode = MODE.unpack_from(entry, STAMP.size)[0] if len(entry) > STAMP.size else recorded.mode
    return [stat.S_IFMT(mode) | mode & 0o777, recorded.size, recorded.sha256, recorded.stored]


def changed_states(before: Manifest, after: Manifest, paths: Collection[bytes] | None) -> dict[bytes, list[Any]]:
    """Return [state before, state after] of each file whose content or mode differs; only of `paths` if they are
    given."""
    changed = {}
    for path in before.keys() | after.keys() if paths is None else paths:
        old, new = before.get(path), after.get(path)
        if old != new and (old or b"")[STAMP.size :] != (new or b"")[STAMP.size :]:
            changed[path] = [state_of(old), state_of(new)]
    return changed


class Steps:
    """The last changes of the manifest. Each has the old manifest, the new one, and the paths in which they differ."""

    def __init__(self) -> None:
        self._steps: deque[tuple[Manifest, Manifest, set[bytes]]] = deque(maxlen=KEPT_STEPS)

    def add(self, old: Manifest, new: Manifest, paths: set[bytes]) -> None:
        self._steps.append((old, new, paths))

    def clear(self) -> None:
        self._steps.clear()

    def between(self, before: Manifest, after: Manifest) -> set[bytes] | None:
        """Return the paths that may differ between two manifests; None if this is not known."""
        paths: set[bytes] = set()
        reached = after
        for old, new, changed in reversed(self._steps.copy()):
            if reached is before:
                break
            if new is reached:
                paths |= changed
                reached = old
        return paths if reached is before else None


def stamp_of(status: os.stat_result) -> bytes:
    """Return a value that changes whenever a file changes. Times that do not fit into 64 bits are truncated."""
    changed, described = status.st_mtime_ns, status.st_ctime_ns
    try:
        return STAMP.pack(changed, described, status.st_size, status.st_ino)
    except struct.error:
        return STAMP.pack(changed & MAX_TIME_NS, described & MAX_TIME_NS, status.st_size, status.st_ino)
