"""Write a workspace's files and the tool user's home as one tar stream, compressed with gzip.

Commands may run meanwhile, so the archive is best effort: a file that shrinks is padded with zeros, one that grows is
truncated, one that disappears is left out. Files that the tool user cannot read, and anything that is not a file,
directory or symbolic link, are left out and counted. Directories come last, the deepest first, so that a restore can
fill a read-only directory before it sets its mode.
"""

import contextlib
import os
import stat
import time
import zlib
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, NamedTuple

from . import tar
from .budgets import OBJECT_COST, Budget, MemoryPool
from .digests import sha256
from .errors import LIMIT_REACHED, Refusal
from .kept_contents import KeptContents
from .privileges import Identity
from .tree import HOME, WORKSPACE, Tree, open_exactly, status_exactly
from .tree_walk import cost_of, walk

ROOTS: Final[Mapping[str, str]] = {"workspace": WORKSPACE, "home": HOME}
"""The top-level names in an archive, and the directory that each stands for."""
CACHES: Final[Mapping[str, frozenset[str]]] = {"home": frozenset({"./.cache", "./.npm"})}
"""Directories that are left out of an archive: they can be downloaded again, and are often the larger part."""
DOWNLOADS: Final[Mapping[str, frozenset[str]]] = {
    "home": frozenset(
        {"./.npm", *(f"./.cache/{name}" for name in ("agentsite", "go-build", "pip", "services", "uv", "yarn"))}
    )
}
"""Directories that are left out of an archive of new files. Other caches are kept, because some contain programs, such
as browsers for tests."""
ENTRIES_LIMIT: Final = 500_000  # files, links and directories
TIME_LIMIT: Final = 600.0  # seconds
READ_SIZE: Final = 1 << 18  # bytes
GZIP_WBITS: Final = 31  # the `wbits` value with which zlib writes and reads a gzip header and trailer
COMPRESSION_LEVEL: Final = 1  # zlib's fastest


class Tally:
    """Counts and digest of one archive.

    `size` is the total size of the contents in bytes. `left_out` counts entries that are in the workspace but not in
    the archive. `since_ns` is a Unix time in nanoseconds; entries that did not change after it are left out. `capped`
    means that the archive stopped at `ENTRIES_LIMIT`, or because names needed too much memory. Workspaces in the same
    state have equal digests, even if not all of their files could be read.
    """

    def __init__(self, limit: int, since_ns: int = 0) -> None:
        self.limit = limit
        self.since_ns = since_ns
        self.entries = 0
        self.size = 0
        self.left_out = 0
        self.capped = False
        self.digest = sha256()

    def as_fields(self) -> dict[str, Any]:
        return {
            "state": self.digest.hexdigest(),
            "entries": self.entries,
            "size": self.size,
            "left_out": self.left_out,
            "capped": self.capped,
        }


class Archives:
    """The writer of archives of the workspace and the home directory. It also describes the content of an archive
    before it is written."""

    def __init__(self, tree: Tree, identity: Identity, pool: MemoryPool, kept: KeptContents) -> None:
        self._kept = kept
        self._tree = tree
        self._identity = identity
        self._pool = pool

    def state(self) -> dict[str, Any]:
        """Return the counts and the digest of an archive created now.

        Reads names, kinds, modes, sizes and times, but no content.
        """
        tally = Tally(limit=0)
        with self._identity.as_tool_user():
            for found in self._walk(tally):
                tally.entries += 1
                tally.size += found.entry.size
        return tally.as_fields()

    def write(
        self, sink: Callable[[bytes], None], limit: int, since_ns: int = 0, *, with_undo: bool = False
    ) -> dict[str, Any]:
        """Pass the archive to `sink` piece by piece and return its counts.

        `limit` is the maximum number of bytes of content; files that no longer fit are left out. With `since_ns`, only
        entries whose content or attributes changed after that time are included. With `with_undo`, the data that undo
        needs follows (`kept_contents`).
        """
        tally = Tally(limit, since_ns)
        stream = GzipWriter(sink)
        with self._identity.as_tool_user():
            for found in self._walk(tally):
                self._add(found, stream, tally)
        for entry, content in self._kept.entries() if with_undo else ():
            stream.write(tar.encode(entry) + content + tar.padding(entry.size))
        stream.write(tar.END)
        stream.finish()
        return tally.as_fields()

    def _walk(self, tally: Tally) -> Iterator["ArchiveItem"]:
        deadline = time.monotonic() + TIME_LIMIT
        seen = 0
        for name, root in ROOTS.items():
            with (
                self._pool.budget() as budget,
                contextlib.suppress(FileNotFoundError),
                self._tree.opened(root, os.O_PATH | os.O_DIRECTORY) as (fd, _),
            ):
                for found in _walk_root(fd, name, tally, budget):
                    seen += 1
                    if seen > ENTRIES_LIMIT:
                        tally.capped = True
                        return
                    if time.monotonic() > deadline:
                        raise Refusal(LIMIT_REACHED, f"The archive could not be completed within {TIME_LIMIT:.0f} s.")
                    tally.digest.update(found.line)
                    yield found

    def _add(self, found: "ArchiveItem", stream: "GzipWriter", tally: Tally) -> None:
        entry = found.entry
        if entry.kind != "file":
            stream.write(tar.encode(entry))
        elif not _add_file(found, stream, tally.limit - tally.size):
            tally.left_out += 1
            return
        else:
            tally.size += entry.size
        tally.entries += 1


class ArchiveItem(NamedTuple):
    """A tar entry, and the file from which its content is read.

    `name` is the last part of the entry's path and `folder_fd` the descriptor of its directory; `line` is added to the
    digest.
    """

    entry: tar.Entry
    folder_fd: int
    name: str
    line: bytes


def _walk_root(root_fd: int, root: str, tally: Tally, budget: Budget) -> Iterator[ArchiveItem]:
    folders: list[tar.Entry] = []
    pruned = (DOWNLOADS if tally.since_ns else CACHES).get(root, ())
    for folder, names in walk(root_fd, budget=budget, pruned=pruned, limit=ENTRIES_LIMIT):
        inside = root + folder.removeprefix(".")
        try:
            status = status_exactly(root_fd, folder)
            folder_fd = open_exactly(root_fd, folder, os.O_RDONLY | os.O_DIRECTORY)
        except OSError:
            tally.left_out += 1
            continue
        if status.st_ctime_ns >= tally.since_ns:
            folders.append(tar.Entry(inside, "directory", stat.S_IMODE(status.st_mode), 0, int(status.st_mtime)))
        try:
            yield from _items_in(folder_fd, inside, names, tally)
        finally:
            os.close(folder_fd)
        if len(folders) > ENTRIES_LIMIT or not budget.spend(OBJECT_COST + cost_of(inside)):
            break
    tally.capped = tally.capped or budget.is_spent
    for entry in sorted(folders, key=lambda entry: entry.name.count("/"), reverse=True):
        if entry.name != root:
            line = f"{entry.name}\0{entry.mode}\n"
            yield ArchiveItem(entry, -1, "", os.fsencode(line))


def _items_in(folder_fd: int, folder: str, names: list[str], tally: Tally) -> Iterator[ArchiveItem]:
    for name in sorted(names):
        try:
            status = os.lstat(name, dir_fd=folder_fd)
            if status.st_ctime_ns < tally.since_ns:
                continue
            found = _describe(folder_fd, folder, name, status)
        except OSError:
            found = None
        if found:
            yield found
        else:
            tally.left_out += 1


def _describe(folder_fd: int, folder: str, name: str, status: os.stat_result) -> ArchiveItem | None:
    """Return the tar entry for one name in a folder. None for anything but a regular file or a symbolic link."""
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
    return ArchiveItem(entry, folder_fd, name, os.fsencode(line))


def _add_file(found: ArchiveItem, stream: "GzipWriter", room: int) -> bool:
    """Write a file's header and content to the stream.

    Returns False if the file cannot be read, is no longer a regular file, or is larger than `room` bytes.
    """
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


def _copy(fd: int, stream: "GzipWriter", size: int) -> None:
    """Write exactly `size` bytes of content, even if the file changes or cannot be read meanwhile."""
    left = size
    while left:
        try:
            chunk = os.read(fd, min(READ_SIZE, left))
        except OSError:  # unreadable disk: the announced number of bytes must be written all the same
            chunk = b""
        chunk = chunk or bytes(min(READ_SIZE, left))
        stream.write(chunk)
        left -= len(chunk)
    stream.write(tar.padding(size))


class GzipWriter:
    """A compressor that passes the gzip stream to `sink` in pieces of about `READ_SIZE` bytes."""

    def __init__(self, sink: Callable[[bytes], None]) -> None:
        self._sink = sink
        self._compressor = zlib.compressobj(COMPRESSION_LEVEL, zlib.DEFLATED, GZIP_WBITS)
        self._compressed = bytearray()

    def write(self, data: bytes) -> None:
        self._compressed += self._compressor.compress(data)
        if len(self._compressed) >= READ_SIZE:
            self._flush()

    def finish(self) -> None:
        self._compressed += self._compressor.flush()
        self._flush()

    def _flush(self) -> None:
        self._sink(bytes(self._compressed))
        self._compressed.clear()
