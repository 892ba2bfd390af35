"""File operations (stat, list, read, write, remove), run as the tool user on exactly the path that was resolved."""

import contextlib
import errno
import os
import stat
import threading
from collections.abc import Iterator, Sequence
from typing import Any, Final

from .budgets import AnswerRoom, MemoryPool
from .digests import sha256
from .errors import CONFLICT, LIMIT_REACHED, WRONG_KIND, Refusal, from_os_error
from .privileges import Identity
from .tree import MAX_TIME_NS, ResolvedPath, Tree, open_exactly, require_regular, status_exactly
from .tree_walk import scan

ANSWER_LIMIT: Final = 32 << 20  # bytes of content in one response
HASH_LIMIT: Final = 512 << 20  # bytes of the largest file that is read
LIST_LIMIT: Final = 20_000  # names in one response
STATS_LIMIT: Final = 1_000  # paths in one request
CHUNK: Final = 1 << 20  # bytes read at a time
NEW_FILE: Final = 0o644  # the mode of a new file
MAX_HINT_BYTES: Final = 200
"""Bytes of a file's name that are part of its temporary name, which must not be longer than 255 bytes."""
ANYTHING: Final = "anything"  # value of `expected`: the file may have any content or be absent
ABSENT: Final = "absent"  # value of `expected`: the file must not exist


class Files:
    """Operations on single files. `writing` is the lock that every writer holds."""

    def __init__(self, tree: Tree, identity: Identity, pool: MemoryPool) -> None:
        self._tree = tree
        self._identity = identity
        self._pool = pool
        self.writing = threading.Lock()

    def stat(self, path: str) -> dict[str, Any]:
        """Return the status of a path. A missing file is no error: the result has `exists` false."""
        with self._identity.as_tool_user():
            return self._stat(path)

    def stats(self, paths: Sequence[str]) -> list[dict[str, Any]]:
        """Return the status of several paths, in the order of `paths`."""
        if len(paths) > STATS_LIMIT:
            raise Refusal(LIMIT_REACHED, f"A request may have at most {STATS_LIMIT} paths, not {len(paths)}.")
        with self._identity.as_tool_user():
            return [self._stat(path) for path in paths]

    def list(self, path: str, limit: int, *, exact: bool = False) -> list[dict[str, Any]]:
        """Return the status of the entries of a directory, at most `limit` of them, sorted by name."""
        flags = os.O_RDONLY | os.O_DIRECTORY
        with (
            self._pool.budget() as budget,
            self._identity.as_tool_user(),
            os_errors_as_refusals(path),
            self._tree.opened(path, flags, exact=exact) as (fd, _),
        ):
            folders, others = scan(fd, budget)
            if budget.is_spent:
                raise Refusal(LIMIT_REACHED, "This directory has too many names to list.")
            names = sorted(folders + others)[: min(limit, LIST_LIMIT)]
            room, entries = AnswerRoom(budget), []
            for name in names:
                entry = self._stat_child(fd, path, name)
                if not room.fits(entry):
                    raise Refusal(LIMIT_REACHED, f"The names in this directory are too long to list {limit} of them.")
                entries.append(entry)
            return entries

    def read(self, path: str, offset: int, limit: int | None, *, exact: bool = False) -> tuple[dict[str, Any], bytes]:
        """Return the hash of the whole file, and `limit` bytes of its content from `offset` on (None: to the end).

        The file is read once, so the hash and the content belong together.
        """
        flags = os.O_RDONLY
        with (
            self._identity.as_tool_user(),
            os_errors_as_refusals(path),
            self._tree.opened(path, flags, exact=exact) as (fd, _),
        ):
            size = require_regular(fd, path).st_size
            wanted = max(0, size - offset if limit is None else min(limit, size - offset))
            if size > HASH_LIMIT or wanted > ANSWER_LIMIT:
                raise Refusal(LIMIT_REACHED, f"{path} has {size} bytes, too many for one response. Read a part of it.")
            content, sha256, size = read_hashed(fd, offset, wanted)
        return {"path": path, "size": size, "sha256": sha256}, content

    def write(
        self, path: str, content: bytes, expected: str, mode: int | None, *, exact: bool = False
    ) -> dict[str, Any]:
        """Replace a file's content if it is as `expected` (see `WriteCondition`).

        The caller holds the lock `writing`. Returns the status of the file that was written, even if a command has
        replaced it since.
        """
        with self._identity.as_tool_user(), os_errors_as_refusals(path):
            resolved = self._tree.locate_permitted(path, exact=exact)
            if resolved.is_root or path.endswith("/"):
                raise Refusal(WRONG_KIND, f"This is a directory: {path}")
            parent_fd, name = open_parent(resolved)
            try:
                status = replace_file(parent_fd, name, content, WriteCondition(path, expected), mode)
            finally:
                os.close(parent_fd)
        return {**self._path_fields(path, resolved), **describe(status)}

    def remove(self, path: str, *, exact: bool = False) -> None:
        """Remove a file, a link or an empty directory."""
        with self._identity.as_tool_user(), os_errors_as_refusals(path):
            resolved = self._tree.locate_permitted(path, follow=False, exact=exact)
            if resolved.is_root:
                raise Refusal(WRONG_KIND, "The root of the workspace cannot be removed.")
            parent, name = os.path.split(resolved.relative)
            parent_fd = open_exactly(resolved.base_fd, parent or ".", os.O_PATH | os.O_DIRECTORY)
            try:
                is_directory = stat.S_ISDIR(os.lstat(name, dir_fd=parent_fd).st_mode)
                (os.rmdir if is_directory else os.unlink)(name, dir_fd=parent_fd)
            finally:
                os.close(parent_fd)

    def _stat(self, path: str) -> dict[str, Any]:
        resolved = self._tree.locate(path)
        answer = {**self._path_fields(path, resolved), "exists": False}
        try:
            return {**answer, **describe(status_exactly(resolved.base_fd, resolved.relative))}
        except OSError as error:
            if error.errno in (errno.ENOENT, errno.ENOTDIR):
                return answer
            raise from_os_error(error, path) from error

    def _path_fields(self, path: str, resolved: ResolvedPath) -> dict[str, Any]:
        return {"path": path, "real_path": self._tree.to_shown(resolved.real), "inside": resolved.inside}

    def _stat_child(self, fd: int, parent: str, name: str) -> dict[str, Any]:
        path = f"{parent.rstrip('/')}/{name}" if parent != "." else name
        try:
            resolved = self._tree.locate(path)
            status = os.lstat(name, dir_fd=fd)
        except (Refusal, OSError):
            return {"path": path, "real_path": path, "inside": False, "exists": False}
        return {**self._path_fields(path, resolved), **describe(status)}


class WriteCondition:
    """The state of a file that a write requires.

    `expected` is `ANYTHING`, `ABSENT` or the SHA-256 of the file's content in hexadecimal.
    """

    def __init__(self, path: str, expected: str) -> None:
        self.path = path
        self.expected = expected

    @property
    def must_be_absent(self) -> bool:
        return self.expected == ABSENT

    def check(self, parent_fd: int, name: str) -> int | None:
        """Return the mode of the existing file, None if there is none. Raises Refusal if the condition is not met."""
        try:
            fd = open_exactly(parent_fd, name, os.O_RDONLY | os.O_NOFOLLOW)
        except FileNotFoundError:
            if self.expected not in (ABSENT, ANYTHING):
                raise Refusal(CONFLICT, f"{self.path} no longer exists.") from None
            return None
        except PermissionError:
            status = os.lstat(name, dir_fd=parent_fd)
            if self.expected != ANYTHING or not stat.S_ISREG(status.st_mode):
                raise
            return stat.S_IMODE(status.st_mode)
        try:
            status = require_regular(fd, self.path)
            if self.must_be_absent:
                raise Refusal(CONFLICT, f"{self.path} already exists.")
            if self.expected != ANYTHING and read_hashed(fd, 0, 0)[1] != self.expected:
                raise Refusal(CONFLICT, f"{self.path} has changed since it was read; read it again.")
            return stat.S_IMODE(status.st_mode)
        finally:
            os.close(fd)


def open_parent(resolved: ResolvedPath) -> tuple[int, str]:
    """Open the parent directory of a path, and return it with the last part of the path. Creates missing ancestors."""
    parent, name = os.path.split(resolved.relative)
    fd = open_exactly(resolved.base_fd, ".", os.O_PATH | os.O_DIRECTORY)
    for part in filter(None, parent.split("/")):
        try:
            next_fd = enter(fd, part)
        finally:
            os.close(fd)
        fd = next_fd
    return fd, name


def enter(fd: int, part: str) -> int:
    """Open a directory inside another open directory, creating it if it is missing."""
    try:
        return open_exactly(fd, part, os.O_PATH | os.O_DIRECTORY)
    except FileNotFoundError:
        with contextlib.suppress(FileExistsError):
            os.mkdir(part, 0o755, dir_fd=fd)
        return open_exactly(fd, part, os.O_PATH | os.O_DIRECTORY)


def replace_file(
    parent_fd: int, name: str, content: bytes, condition: WriteCondition, mode: int | None
) -> os.stat_result:
    """Check the condition, then replace the file atomically. Leaves nothing behind if it fails."""
    old_mode = condition.check(parent_fd, name)
    temporary = temporary_name(name)
    status = write_temporary(parent_fd, temporary, content, old_mode if mode is None else mode)
    try:
        if condition.must_be_absent:
            os.link(temporary, name, src_dir_fd=parent_fd, dst_dir_fd=parent_fd, follow_symlinks=False)
            os.unlink(temporary, dir_fd=parent_fd)
        else:
            os.rename(temporary, name, src_dir_fd=parent_fd, dst_dir_fd=parent_fd)
    except OSError:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(temporary, dir_fd=parent_fd)
        raise
    return status


def write_temporary(parent_fd: int, temporary: str, content: bytes, mode: int | None) -> os.stat_result:
    """Create a complete new file with this name. Leaves nothing behind if it fails."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    fd = os.open(temporary, flags, 0o600, dir_fd=parent_fd)
    try:
        write_all(fd, content)
        os.fchmod(fd, (NEW_FILE if mode is None else mode) & 0o777)
        return os.fstat(fd)
    except OSError:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(temporary, dir_fd=parent_fd)
        raise
    finally:
        os.close(fd)


def temporary_name(name: str) -> str:
    """Return an unused hidden file name that contains the beginning of `name` and a random part."""
    return f".{os.fsdecode(os.fsencode(name)[:MAX_HINT_BYTES])}.{os.urandom(4).hex()}~"


def write_all(fd: int, content: bytes) -> None:
    rest = memoryview(content)
    while rest:
        rest = rest[os.write(fd, rest) :]


def read_hashed(fd: int, offset: int, limit: int) -> tuple[bytes, str, int]:
    """Read an open file. Returns `limit` bytes from `offset` on, and the hash and the size of the whole content."""
    digest = sha256()
    kept = bytearray()
    position = 0
    while chunk := os.read(fd, CHUNK):
        digest.update(chunk)
        start, end = max(0, offset - position), offset + limit - position
        if start < len(chunk) and end > start:
            kept += chunk[start:end]
        position += len(chunk)
        if position > HASH_LIMIT:
            raise Refusal(LIMIT_REACHED, "The file grew while it was being read.")
    return bytes(kept), digest.hexdigest(), position


def describe(status: os.stat_result) -> dict[str, Any]:
    return {
        "exists": True,
        "kind": kind_of(status.st_mode),
        "size": status.st_size,
        "mode": stat.S_IMODE(status.st_mode),
        "modified_ns": max(-MAX_TIME_NS, min(status.st_mtime_ns, MAX_TIME_NS)),
    }


def kind_of(mode: int) -> str:
    if stat.S_ISREG(mode):
        return "file"
    if stat.S_ISDIR(mode):
        return "directory"
    return "symlink" if stat.S_ISLNK(mode) else "other"


@contextlib.contextmanager
def os_errors_as_refusals(path: str) -> Iterator[None]:
    """Turn an OSError in the block into a Refusal that names the path."""
    try:
        yield
    except OSError as error:
        raise from_os_error(error, path) from error
