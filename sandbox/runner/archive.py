"""A workspace's files and the tool user's home as one stream: tar, gzip.

A best effort, since commands may run meanwhile: a file that shrinks is filled up with zeros, one that grows is cut,
one that is gone is left out. What the tool user may not read, and what is neither file, folder nor link, is left out
and counted. Folders come last and deepest first, so that a folder without the right to write in it can be filled again.
"""

import contextlib
import os
import stat
import time
import zlib
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, NamedTuple

from . import tar
from .digests import sha256
from .errors import LIMIT_REACHED, Refusal
from .privileges import Identity
from .tree import HOME, WORKSPACE, Tree, open_exactly, status_exactly
from .tree_walk import walk

ROOTS: Final[Mapping[str, str]] = {"workspace": WORKSPACE, "home": HOME}
"""How the two places are called in an archive."""
CACHES: Final[Mapping[str, frozenset[str]]] = {"home": frozenset({"./.cache", "./.npm"})}
"""Left out: they can be fetched again, and are often the larger part."""
ENTRIES_LIMIT: Final = 500_000
TIME_LIMIT: Final = 600.0  # seconds
READ_SIZE: Final = 1 << 18
GZIP: Final = 31  # zlib's word for a gzip header and trailer
SPEED_LEVEL: Final = 1


class Tally:
    """`size` is of the contents; `left_out` counts what is in the workspace and not in the archive, `capped` says that
    even this was not counted to the end. Equal states have equal digests, whatever could be read of them."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.entries = 0
        self.size = 0
        self.left_out = 0
        self.capped = False
        self.digest = sha256()

    def as_answer(self) -> dict[str, Any]:
        return {
            "state": self.digest.hexdigest(),
            "entries": self.entries,
            "size": self.size,
            "left_out": self.left_out,
            "capped": self.capped,
        }


class Archives:
    def __init__(self, tree: Tree, identity: Identity) -> None:
        self._tree = tree
        self._identity = identity

    def state(self) -> dict[str, Any]:
        """What an archive made now would be of: names, kinds, modes, sizes and times; nothing is read."""
        tally = Tally(limit=0)
        with self._identity.as_tool_user():
            for found in self._walk(tally):
                tally.entries += 1
                tally.size += found.entry.size
        return tally.as_answer()

    def write(self, sink: Callable[[bytes], None], limit: int) -> dict[str, Any]:
        """`limit`: bytes of content; what does not fit any more is left out."""
        tally = Tally(limit)
        with self._identity.as_tool_user():
            stream = Compressed(sink)
            for found in self._walk(tally):
                self._add(found, stream, tally)
            stream.write(tar.END)
            stream.finish()
        return tally.as_answer()

    def _walk(self, tally: Tally) -> Iterator["Found"]:
        give_up = time.monotonic() + TIME_LIMIT
        seen = 0
        for name, root in ROOTS.items():
            with contextlib.suppress(FileNotFoundError), self._tree.opened(root, os.O_PATH | os.O_DIRECTORY) as (fd, _):
                for found in _walk_root(fd, name, tally):
                    seen += 1
                    if seen > ENTRIES_LIMIT:
                        tally.capped = True
                        return
                    if time.monotonic() > give_up:
                        raise Refusal(LIMIT_REACHED, f"The archive was not complete after {TIME_LIMIT:.0f} s.")
                    tally.digest.update(found.line)
                    yield found

    def _add(self, found: "Found", stream: "Compressed", tally: Tally) -> None:
        entry = found.entry
        if entry.kind != "file":
            stream.write(tar.encode(entry))
        elif not _add_file(found, stream, tally.limit - tally.size):
            tally.left_out += 1
            return
        else:
            tally.size += entry.size
        tally.entries += 1


class Found(NamedTuple):
    """`name` is the last part of the entry's, beside the descriptor of its folder; `line` goes into the digest."""

    entry: tar.Entry
    folder_fd: int
    name: str
    line: bytes


def _walk_root(root_fd: int, root: str, tally: Tally) -> Iterator[Found]:
    folders: list[tar.Entry] = []
    for folder, names in walk(root_fd, pruned=CACHES.get(root, ()), limit=ENTRIES_LIMIT):
        inside = root + folder.removeprefix(".")
        try:
            status = status_exactly(root_fd, folder)
            folder_fd = open_exactly(root_fd, folder, os.O_RDONLY | os.O_DIRECTORY)
        except OSError:
            tally.left_out += 1
            continue
        folders.append(tar.Entry(inside, "directory", stat.S_IMODE(status.st_mode), 0, int(status.st_mtime)))
        try:
            yield from _look(folder_fd, inside, names, tally)
        finally:
            os.close(folder_fd)
        if len(folders) > ENTRIES_LIMIT:
            break
    for entry in sorted(folders, key=lambda entry: entry.name.count("/"), reverse=True):
        if entry.name != root:
            line = f"{entry.name}\0{entry.mode}\n"
            yield Found(entry, -1, "", os.fsencode(line))


def _look(folder_fd: int, folder: str, names: list[str], tally: Tally) -> Iterator[Found]:
    for name in sorted(names):
        try:
            found = _describe(folder_fd, folder, name)
        except OSError:
            found = None
        if found:
            yield found
        else:
            tally.left_out += 1


def _describe(folder_fd: int, folder: str, name: str) -> Found | None:
    """None for what no archive can hold."""
    status = os.lstat(name, dir_fd=folder_fd)
    mode, target, size = stat.S_IMODE(status.st_mode), "", 0
    kind: tar.Kind = "file"
    if stat.S_ISLNK(status.st_mode):
        kind, target = "symlink", os.readlink(name, dir_fd=folder_fd)
    elif stat.S_ISREG(status.st_mode):
        size = status.st_size
    else:
        return None
    entry = tar.Entry(f"{folder}/{name}", kind, mode, size, int(status.st_mtime), target)
    line = f"{entry.name}\0{kind}\0{mode}\0{size}\0{status.st_mtime_ns}\0{target}\n"
    return Found(entry, folder_fd, name, os.fsencode(line))


def _add_file(found: Found, stream: "Compressed", room: int) -> bool:
    """False when it cannot be read, is no file any more or does not fit."""
    try:
        fd = open_exactly(found.folder_fd, found.name, os.O_RDONLY | os.O_NOFOLLOW)
    except OSError:
        return False
    try:
        if not stat.S_ISREG(os.fstat(fd).st_mode) or found.entry.size > room:
            return False
        stream.write(tar.encode(found.entry))
        _copy(fd, stream, found.entry.size)
    finally:
        os.close(fd)
    return True


def _copy(fd: int, stream: "Compressed", size: int) -> None:
    """So many bytes, whatever happens to the file meanwhile."""
    left = size
    while left:
        try:
            chunk = os.read(fd, min(READ_SIZE, left))
        except OSError:  # its disk is broken: what was announced must come all the same
            chunk = b""
        chunk = chunk or bytes(min(READ_SIZE, left))
        stream.write(chunk)
        left -= len(chunk)
    stream.write(tar.padding(size))


class Compressed:
    """Passes on pieces of about `READ_SIZE` bytes."""

    def __init__(self, sink: Callable[[bytes], None]) -> None:
        self._sink = sink
        self._packer = zlib.compressobj(SPEED_LEVEL, zlib.DEFLATED, GZIP)
        self._waiting = bytearray()

    def write(self, data: bytes) -> None:
        self._waiting += self._packer.compress(data)
        if len(self._waiting) >= READ_SIZE:
            self._pass_on()

    def finish(self) -> None:
        self._waiting += self._packer.flush()
        self._pass_on()

    def _pass_on(self) -> None:
        self._sink(bytes(self._waiting))
        self._waiting.clear()
