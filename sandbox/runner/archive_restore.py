"""Restore an archive into a workspace. The archive is untrusted, so it is unpacked as the tool user.

Each name is split into parts and opened relative to directory descriptors, so nothing is written outside the two roots;
a symbolic link that the archive itself created earlier is not followed. Hard links, devices, FIFOs and invalid names
are left out and counted, and so are entries that conflict with an existing one. Only the rwx bits of a mode are kept.
"""

import contextlib
import errno
import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from . import tar
from .archive import ENTRIES_LIMIT, ROOTS
from .errors import LIMIT_REACHED, Refusal
from .files import enter, open_parent, write_all
from .gzip_stream import GzipReader
from .kept_contents import FOLDER as UNDO_FOLDER
from .kept_contents import MAX_BYTES as MAX_UNDO_BYTES
from .kept_contents import KeptContents
from .privileges import Identity
from .tree import MAX_PATH_BYTES, ResolvedPath, Tree, open_exactly

FORBIDDEN_PARTS: Final = frozenset({"", ".", ".."})  # of a path
ENTRY_ERRNOS: Final = frozenset(
    {errno.ELOOP, errno.EXDEV, errno.ENOTDIR, errno.EISDIR, errno.EPERM, errno.EACCES, errno.EEXIST, errno.ENOTEMPTY,
     errno.ENAMETOOLONG, errno.EINVAL, errno.ENOENT}
)  # fmt: skip
"""With one of these errors a single entry is left out; any other error ends the whole restore."""
MAX_OPEN_FOLDERS: Final = 64  # on the way to the last entry


class Restorer:
    """The restoring of an archive into the workspace and the home directory."""

    def __init__(self, tree: Tree, identity: Identity, kept: KeptContents) -> None:
        self._tree = tree
        self._identity = identity
        self._kept = kept

    def restore(self, next_chunk: Callable[[], bytes], limit: int, *, keep_files: bool = False) -> dict[str, Any]:
        """Unpack an archive and return the number of entries, their size in bytes and the number left out.

        With `keep_files`, files and links that are already in the workspace are kept; their entries count as left out.

        `next_chunk` returns b"" at the end of the archive. Raises Refusal if the archive is malformed, has too many
        entries, or holds more than `limit` decompressed bytes.
        """
        counts = {"entries": 0, "size": 0, "left_out": 0}
        # the thread of the reader must not be the tool user's
        with GzipReader(next_chunk, limit) as unpacked:
            reader = tar.Reader(unpacked.read)
            with self._identity.as_tool_user(), contextlib.closing(LastFolder()) as folder:
                roots = {name: self._tree.locate(root) for name, root in ROOTS.items()}
                while (entry := reader.next()) and not entry.name.startswith(UNDO_FOLDER):
                    resolved = _place_of(entry.name, roots)
                    keep = keep_files and entry.name.startswith("workspace/")
                    _count(counts, entry, bool(resolved and _put(entry, resolved, reader, folder, keep=keep)))
            unpacked.allow(MAX_UNDO_BYTES)
            while entry:
                _count(counts, entry, entry.name.startswith(UNDO_FOLDER) and self._kept.take(entry, reader))
                entry = reader.next()
            unpacked.finish()
        return counts


def _count(counts: dict[str, Any], entry: tar.Entry, is_restored: bool) -> None:
    """Count an entry as restored or as left out. Raises Refusal if the archive has more than `ENTRIES_LIMIT`
    entries."""
    if entry.name.startswith(UNDO_FOLDER) and is_restored:
        return
    counts["entries" if is_restored else "left_out"] += 1
    counts["size"] += entry.size if is_restored else 0
    if counts["entries"] + counts["left_out"] > ENTRIES_LIMIT:
        raise Refusal(LIMIT_REACHED, f"The archive has more than {ENTRIES_LIMIT:,} entries.")


def _put(entry: tar.Entry, resolved: ResolvedPath, reader: tar.Reader, folder: "LastFolder", *, keep: bool) -> bool:
    if entry.kind == "other" or "\0" in entry.target:
        return False
    try:
        parent_fd, name = folder.of(resolved)
        put_entry(parent_fd, name, entry, reader, keep=keep)
    except OSError as error:
        if error.errno in ENTRY_ERRNOS:
            return False
        raise
    return True


def _place_of(name: str, roots: Mapping[str, ResolvedPath]) -> ResolvedPath | None:
    """Return the path at which an entry is restored; None if its name is invalid or lies outside the two roots."""
    root, *parts = name.split("/")
    if root not in roots or not parts or not FORBIDDEN_PARTS.isdisjoint(parts) or "\0" in name:
        return None
    if len(name) >= MAX_PATH_BYTES:
        return None
    resolved, below = roots[root], "/".join(parts)
    relative = below if resolved.is_root else f"{resolved.relative}/{below}"
    return ResolvedPath(name, f"{resolved.real}/{below}", resolved.inside, resolved.base_fd, relative)


class LastFolder:
    """The open directory of the last entry and its open parents, because the next entry is usually in or near them."""

    def __init__(self) -> None:
        self._base_fd = -1
        self._opened: list[tuple[str, int]] = []
        """The parts of the last directory's path, each with its descriptor; the first one is the root."""

    def of(self, resolved: ResolvedPath) -> tuple[int, str]:
        """Return the open directory of a path and the last component of the path. Missing directories are created. This
        object closes the descriptor."""
        if resolved.base_fd != self._base_fd:
            self.close()
            self._opened.append(("", open_exactly(resolved.base_fd, ".", os.O_PATH | os.O_DIRECTORY)))
            self._base_fd = resolved.base_fd
        *parts, name = resolved.relative.split("/")
        if len(parts) > MAX_OPEN_FOLDERS:
            self.close()
            fd, name = open_parent(resolved)
            self._opened.append(("", fd))
            return fd, name
        self._close_from(1 + _common(parts, [part for part, _ in self._opened[1:]]))
        for part in parts[len(self._opened) - 1 :]:
            self._opened.append((part, enter(self._opened[-1][1], part)))
        return self._opened[-1][1], name

    def close(self) -> None:
        self._close_from(0)
        self._base_fd = -1

    def _close_from(self, position: int) -> None:
        while len(self._opened) > position:
            os.close(self._opened.pop()[1])


def _common(some: Sequence[str], others: Sequence[str]) -> int:
    """Return the number of equal elements at the beginning of two sequences."""
    count = 0
    for one, other in zip(some, others, strict=False):
        if one != other:
            break
        count += 1
    return count


def put_entry(parent_fd: int, name: str, entry: tar.Entry, reader: tar.Reader, *, keep: bool = False) -> None:
    """Create the file, folder or link of an archive entry. It replaces an existing file or link, but never a
    directory. With `keep`, it replaces nothing: FileExistsError is raised."""
    if entry.kind == "directory":
        fd = _open_folder(parent_fd, name)
    else:
        created = _created(parent_fd, name, entry, keep=keep)
        if created is None:
            return
        fd = created
    try:
        for piece in reader.content() if entry.kind == "file" else ():
            write_all(fd, piece)
        os.fchmod(fd, entry.mode & 0o777)
        os.utime(fd, (entry.modified, entry.modified))
    finally:
        os.close(fd)


def _open_folder(parent_fd: int, name: str) -> int:
    """Open a directory, which is created if it does not exist."""
    try:
        return open_exactly(parent_fd, name, os.O_RDONLY | os.O_DIRECTORY)
    except FileNotFoundError:
        os.mkdir(name, 0o755, dir_fd=parent_fd)
        return open_exactly(parent_fd, name, os.O_RDONLY | os.O_DIRECTORY)


def _created(parent_fd: int, name: str, entry: tar.Entry, *, keep: bool) -> int | None:
    """Create a link, or an empty file, and return the file's descriptor; None for a link. An existing file is replaced;
    with `keep`, FileExistsError is raised instead."""
    try:
        return _create(parent_fd, name, entry)
    except FileExistsError:
        if keep:
            raise
    os.unlink(name, dir_fd=parent_fd)
    return _create(parent_fd, name, entry)


def _create(parent_fd: int, name: str, entry: tar.Entry) -> int | None:
    if entry.kind == "symlink":
        os.symlink(entry.target, name, dir_fd=parent_fd)
        return None
    return os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600, dir_fd=parent_fd)
