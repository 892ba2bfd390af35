"""stat, list, read, write and remove, as the tool user, on exactly the path that was resolved."""

import contextlib
import errno
import os
import stat
import threading
from collections.abc import Iterator, Sequence
from typing import Any, Final

from .digests import sha256
from .errors import CONFLICT, LIMIT_REACHED, WRONG_KIND, Refusal, from_os_error
from .privileges import Identity
from .tree import Place, Tree, open_exactly, require_regular, status_exactly

ANSWER_LIMIT: Final = 32 << 20
HASH_LIMIT: Final = 512 << 20
LIST_LIMIT: Final = 20_000
STATS_LIMIT: Final = 1_000
CHUNK: Final = 1 << 20
NEW_FILE: Final = 0o644
LONGEST_HINT: Final = 200
"""Bytes of a file's name in the name of its temporary one, which must not be longer than 255."""
LAST_NS: Final = (1 << 63) - 1
"""The year 2262; a file system may date a file later, but nobody can store that."""
ANYTHING: Final = "anything"
ABSENT: Final = "absent"


class Files:
    def __init__(self, tree: Tree, identity: Identity) -> None:
        self._tree = tree
        self._identity = identity
        self.writing = threading.Lock()

    def stat(self, path: str) -> dict[str, Any]:
        """Never refuses for absence: `exists` says it."""
        with self._identity.as_tool_user():
            return self._stat(path)

    def stats(self, paths: Sequence[str]) -> list[dict[str, Any]]:
        """Of many, in their order."""
        if len(paths) > STATS_LIMIT:
            raise Refusal(LIMIT_REACHED, f"{len(paths)} paths are too many at once; ask for {STATS_LIMIT} at most.")
        with self._identity.as_tool_user():
            return [self._stat(path) for path in paths]

    def list(self, path: str, limit: int, *, exact: bool = False) -> list[dict[str, Any]]:
        flags = os.O_RDONLY | os.O_DIRECTORY
        with self._identity.as_tool_user(), explained(path), self._tree.opened(path, flags, exact=exact) as (fd, _):
            names = sorted(os.listdir(fd))[: min(limit, LIST_LIMIT)]
            return [self._stat_child(fd, path, name) for name in names]

    def read(self, path: str, offset: int, limit: int | None, *, exact: bool = False) -> tuple[dict[str, Any], bytes]:
        """One pass: the hash is of the whole file, the content what was asked for."""
        flags = os.O_RDONLY
        with self._identity.as_tool_user(), explained(path), self._tree.opened(path, flags, exact=exact) as (fd, _):
            size = require_regular(fd, path).st_size
            wanted = max(0, size - offset if limit is None else min(limit, size - offset))
            if size > HASH_LIMIT or wanted > ANSWER_LIMIT:
                raise Refusal(LIMIT_REACHED, f"{path} has {size} bytes, too many for one answer; read a part of it.")
            content, sha256, size = read_hashed(fd, offset, wanted)
        return {"path": path, "size": size, "sha256": sha256}, content

    def write(
        self, path: str, content: bytes, expected: str, mode: int | None, *, exact: bool = False
    ) -> dict[str, Any]:
        """The answer is about what was written, whatever stands at the path by then."""
        with self._identity.as_tool_user(), explained(path):
            place = self._tree.reach(path, exact=exact)
            if place.is_root or path.endswith("/"):
                raise Refusal(WRONG_KIND, f"This is a directory: {path}")
            parent_fd, name = open_parent(place)
            try:
                with self.writing:
                    status = replace_file(parent_fd, name, content, Condition(path, expected), mode)
            finally:
                os.close(parent_fd)
        return {**self._found(path, place), **describe(status)}

    def remove(self, path: str, *, exact: bool = False) -> None:
        with self._identity.as_tool_user(), explained(path):
            place = self._tree.reach(path, follow=False, exact=exact)
            if place.is_root:
                raise Refusal(WRONG_KIND, "The root of the workspace cannot be removed.")
            parent, name = os.path.split(place.relative)
            parent_fd = open_exactly(place.base_fd, parent or ".", os.O_PATH | os.O_DIRECTORY)
            try:
                is_directory = stat.S_ISDIR(os.lstat(name, dir_fd=parent_fd).st_mode)
                (os.rmdir if is_directory else os.unlink)(name, dir_fd=parent_fd)
            finally:
                os.close(parent_fd)

    def _stat(self, path: str) -> dict[str, Any]:
        place = self._tree.locate(path)
        answer = {**self._found(path, place), "exists": False}
        try:
            return {**answer, **describe(status_exactly(place.base_fd, place.relative))}
        except OSError as error:
            if error.errno in (errno.ENOENT, errno.ENOTDIR):
                return answer
            raise from_os_error(error, path) from error

    def _found(self, path: str, place: Place) -> dict[str, Any]:
        return {"path": path, "real_path": self._tree.to_shown(place.real), "inside": place.inside}

    def _stat_child(self, fd: int, parent: str, name: str) -> dict[str, Any]:
        path = f"{parent.rstrip('/')}/{name}" if parent != "." else name
        try:
            place = self._tree.locate(path)
            status = os.lstat(name, dir_fd=fd)
        except (Refusal, OSError):
            return {"path": path, "real_path": path, "inside": False, "exists": False}
        return {**self._found(path, place), **describe(status)}


class Condition:
    """What a write expects to find in its place."""

    def __init__(self, path: str, expected: str) -> None:
        self.path = path
        self.expected = expected

    @property
    def must_be_absent(self) -> bool:
        return self.expected == ABSENT

    def check(self, parent_fd: int, name: str) -> int | None:
        """The mode of the file that is there, None when there is none; Refusal when it is not what was expected."""
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
                raise Refusal(CONFLICT, f"{self.path} exists already.")
            if self.expected != ANYTHING and read_hashed(fd, 0, 0)[1] != self.expected:
                raise Refusal(CONFLICT, f"{self.path} has changed since it was read; read it again.")
            return stat.S_IMODE(status.st_mode)
        finally:
            os.close(fd)


def open_parent(place: Place) -> tuple[int, str]:
    """The directory that holds a place, made where it is missing, and the place's name in it."""
    parent, name = os.path.split(place.relative)
    fd = open_exactly(place.base_fd, ".", os.O_PATH | os.O_DIRECTORY)
    for part in filter(None, parent.split("/")):
        try:
            next_fd = _enter(fd, part)
        finally:
            os.close(fd)
        fd = next_fd
    return fd, name


def _enter(fd: int, part: str) -> int:
    try:
        return open_exactly(fd, part, os.O_PATH | os.O_DIRECTORY)
    except FileNotFoundError:
        with contextlib.suppress(FileExistsError):
            os.mkdir(part, 0o755, dir_fd=fd)
        return open_exactly(fd, part, os.O_PATH | os.O_DIRECTORY)


def replace_file(parent_fd: int, name: str, content: bytes, condition: Condition, mode: int | None) -> os.stat_result:
    """Checks the condition, then puts a complete new file in place in one step; nothing is left on failure."""
    old_mode = condition.check(parent_fd, name)
    temporary = name_beside(name)
    status = write_beside(parent_fd, temporary, content, old_mode if mode is None else mode)
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


def write_beside(parent_fd: int, temporary: str, content: bytes, mode: int | None) -> os.stat_result:
    """A complete new file of this name; nothing is left on failure."""
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


def name_beside(name: str) -> str:
    """A name that no other file has, and that tells whose it is."""
    return f".{os.fsdecode(os.fsencode(name)[:LONGEST_HINT])}.{os.urandom(4).hex()}~"


def write_all(fd: int, content: bytes) -> None:
    rest = memoryview(content)
    while rest:
        rest = rest[os.write(fd, rest) :]


def read_hashed(fd: int, offset: int, limit: int) -> tuple[bytes, str, int]:
    """The bytes from `offset`, at most `limit`; the hash and size of everything."""
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
        "modified_ns": max(-LAST_NS, min(status.st_mtime_ns, LAST_NS)),
    }


def kind_of(mode: int) -> str:
    if stat.S_ISREG(mode):
        return "file"
    if stat.S_ISDIR(mode):
        return "directory"
    return "symlink" if stat.S_ISLNK(mode) else "other"


@contextlib.contextmanager
def explained(path: str) -> Iterator[None]:
    """Turns a system error into a refusal that names the path."""
    try:
        yield
    except OSError as error:
        raise from_os_error(error, path) from error
