"""Path resolution: find the target of a path and whether it is inside the workspace, and open exactly that target.

A path is resolved first and then opened with openat2, which follows no links. So either the resolved file is opened, or
opening fails and the path is resolved again: this happens if a directory is replaced by a link in between. Outside the
workspace only a path that contains no link is accepted, so that the path that the permission engine judged is the path
that is opened; with `exact` the same holds inside the workspace. Call every function of this module as the tool user.

This is the only way from a path to a file: the other modules may use a name only relative to a descriptor from here
(tests/unit/sandbox/test_guarded_files.py).
"""

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final, NamedTuple, Self

from . import kernel
from .errors import PATH_OUTSIDE, REFUSED, WRONG_KIND, Refusal

WORKSPACE: Final = "/workspace"
HOME: Final = "/home/agent"
FORBIDDEN_ROOTS: Final = ("/proc", "/sys")  # system folders that tools may not access
OPEN_ATTEMPTS: Final = 5
# the kernel's own limits
MAX_PATH_BYTES: Final = 4096
MAX_LINKS: Final = 40
MAX_TIME_NS: Final = (1 << 63) - 1
"""Nanoseconds, in the year 2262. A file system may have later times, but they do not fit into 64 bits."""


class ResolvedPath(NamedTuple):
    """A path without links, with the descriptor and the relative path that open it.

    `requested` is the path as the caller gave it, `real` the path without links. `inside`: the real path is in the
    workspace. `relative` is the path to open relative to `base_fd`.
    """

    requested: str
    real: str
    inside: bool
    base_fd: int
    relative: str

    @property
    def is_root(self) -> bool:
        return self.relative == "."


class Tree:
    """The file system as tools see it. In a container its roots are at their usual paths, in tests elsewhere."""

    def __init__(self, workspace: str = WORKSPACE, home: str = HOME) -> None:
        self.workspace = os.path.realpath(workspace)
        self.home = os.path.realpath(home)
        self.root_fd = os.open(self.workspace, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
        self.slash_fd = os.open("/", os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
        self._moved = [(s, r) for s, r in ((WORKSPACE, self.workspace), (HOME, self.home)) if s != r]

    def to_real(self, path: str) -> str:
        """Convert a path that tools see to the absolute path on this machine."""
        require_valid_path(path)
        if not path.startswith("/"):
            return f"{self.workspace}/{path}"
        path = f"/{path.lstrip('/')}"
        for shown, real in self._moved:
            if is_under(path, shown):
                return real + path[len(shown) :]
        return path

    def to_shown(self, path: str) -> str:
        """Convert an absolute path on this machine to the path that tools see."""
        for shown, real in self._moved:
            if is_under(path, real):
                return shown + path[len(real) :]
        is_around = path == os.path.dirname(self.workspace) and self.workspace != WORKSPACE
        return os.path.dirname(WORKSPACE) if is_around else path

    def locate(self, path: str, *, follow: bool = True, exact: bool = False) -> ResolvedPath:
        """Resolve a path. With `follow=False` a link at its end is not followed.

        `exact`: the path was resolved before and is used unchanged. If a part of it has become a link, opening it
        fails.
        """
        self._ensure_accessible()
        wanted = self.to_real(path)
        refuse_system(os.path.normpath(wanted))
        if exact and wanted != os.path.normpath(wanted):
            raise Refusal(REFUSED, f"This path was not resolved: {path}")
        real = wanted if exact else resolve(wanted, follow=follow)
        refuse_system(real)
        if is_under(real, self.workspace):
            return ResolvedPath(path, real, True, self.root_fd, real[len(self.workspace) + 1 :] or ".")
        return ResolvedPath(path, real, False, self.slash_fd, real[1:] or ".")

    def _ensure_accessible(self) -> None:
        """Restore the owner's permissions on the workspace's root.

        It belongs to the tool user, and a `chmod -R` by one command must not lock out all later ones.
        """
        mode = stat.S_IMODE(os.fstat(self.root_fd).st_mode)
        if mode & stat.S_IRWXU != stat.S_IRWXU:
            os.chmod(self.workspace, mode | stat.S_IRWXU)

    def locate_permitted(self, path: str, *, follow: bool = True, exact: bool = False) -> ResolvedPath:
        """Resolve a path as `locate` does, and check that a tool may use it.

        A path outside the workspace must be free of links: raises Refusal for a path that leads outside through a link.
        """
        resolved = self.locate(path, follow=follow, exact=exact)
        if not resolved.inside and resolved.real != (self.to_real(path).rstrip("/") or "/"):
            raise Refusal(
                PATH_OUTSIDE,
                f"{path} leads to {self.to_shown(resolved.real)}, outside the workspace. Use that path if you mean it.",
            )
        return resolved

    @contextmanager
    def opened(self, path: str, flags: int, *, exact: bool = False) -> Iterator[tuple[int, ResolvedPath]]:
        """Open a permitted path, and close it at the end of the block. Never blocks on a FIFO."""
        fd, resolved = self._open(path, flags, exact=exact)
        try:
            yield fd, resolved
        finally:
            os.close(fd)

    def _open(self, path: str, flags: int, *, exact: bool) -> tuple[int, ResolvedPath]:
        for attempt in range(OPEN_ATTEMPTS):
            resolved = self.locate_permitted(path, exact=exact)
            try:
                return open_exactly(resolved.base_fd, resolved.relative, flags), resolved
            except OSError as error:
                if error.errno not in (errno.ELOOP, errno.EXDEV) or attempt == OPEN_ATTEMPTS - 1:
                    raise
        raise AssertionError("The loop returns or raises.")


def refuse_system(path: str) -> None:
    if any(is_under(path, closed) for closed in FORBIDDEN_ROOTS):
        raise Refusal(PATH_OUTSIDE, f"{path} is part of the system, which tools may not access.")


def require_valid_path(path: str) -> None:
    """Raise Refusal if no file can have this name."""
    try:
        size = len(os.fsencode(path))
    except UnicodeEncodeError:
        raise Refusal(REFUSED, "A path must not contain an invalid character (an unpaired surrogate).") from None
    if not path or "\0" in path:
        raise Refusal(REFUSED, "A path must not be empty or contain a zero byte.")
    if size >= MAX_PATH_BYTES:
        raise Refusal(REFUSED, f"A path must be shorter than {MAX_PATH_BYTES} bytes.")


def resolve(path: str, *, follow: bool) -> str:
    """Return an absolute path with all links resolved, as far as the path exists.

    With `follow=False` a link at the end is kept. Raises Refusal for a path through the system folders, whose links
    mean something else to every process, and for more links than the kernel would follow. (os.path.realpath has no such
    limit: a chain of a thousand links makes it fail with an error of its own.)
    """
    done, links = "", 0
    waiting = path.rstrip("/").split("/")[::-1]
    while waiting:
        part = waiting.pop()
        if part == "..":
            done = done.rpartition("/")[0]
        elif part not in ("", "."):
            candidate = f"{done}/{part}"
            refuse_system(candidate)
            target = read_link(candidate) if follow or waiting else None
            if target is None:
                done = candidate
                continue
            links += 1
            if links > MAX_LINKS:
                raise Refusal(
                    PATH_OUTSIDE,
                    f"The symbolic links of this path form a loop, or there are more than {MAX_LINKS}: {path}",
                )
            done = "" if target.startswith("/") else done
            waiting += target.split("/")[::-1]
    return done or "/"


def read_link(path: str) -> str | None:
    """Return the target of a link. None if the path is not a link or cannot be read."""
    try:
        return os.readlink(path) if stat.S_ISLNK(os.lstat(path).st_mode) else None
    except OSError:
        return None


def is_under(path: str, root: str) -> bool:
    return path == root or path.startswith(root + "/")


def open_exactly(base_fd: int, relative: str, flags: int) -> int:
    """Open a path relative to `base_fd` without following any link and without blocking. Raises OSError."""
    return kernel.openat2(base_fd, relative, flags if flags & os.O_PATH else flags | os.O_NONBLOCK | os.O_NOCTTY)


def status_exactly(base_fd: int, relative: str) -> os.stat_result:
    """Return the status of a path without following any link, even at its end. Raises OSError."""
    fd = open_exactly(base_fd, relative, os.O_PATH | os.O_NOFOLLOW)
    try:
        return os.fstat(fd)
    finally:
        os.close(fd)


class StatBelow:
    """A reader of the status and content of many paths below a directory.

    The folder of the last path stays open for the next path.
    """

    def __init__(self, base_fd: int) -> None:
        self._base_fd = base_fd
        self._folder, self._fd = "", -1

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._close()

    def status(self, relative: str) -> os.stat_result:
        """Return the status of a path without following any link, even at its end. Raises OSError."""
        name = self._enter(relative)
        return os.lstat(name, dir_fd=self._fd)

    def open_file(self, relative: str) -> int:
        """Open a file for reading without following any link. Raises OSError."""
        name = self._enter(relative)
        return open_exactly(self._fd, name, os.O_RDONLY | os.O_NOFOLLOW)

    def target(self, relative: str) -> str:
        """Return the target of a link. Raises OSError."""
        name = self._enter(relative)
        return os.readlink(name, dir_fd=self._fd)

    def _enter(self, relative: str) -> str:
        """Open the folder that contains a path, unless it is open already, and return the last part of the path."""
        folder, _, name = relative.rpartition("/")
        if name in ("", ".", ".."):
            raise OSError(errno.EINVAL, os.strerror(errno.EINVAL))
        folder = folder.rstrip("/") or "."
        if folder != self._folder:
            self._close()
            self._fd = open_exactly(self._base_fd, folder, os.O_PATH | os.O_DIRECTORY)
            self._folder = folder
        return name

    def _close(self) -> None:
        if self._fd >= 0:
            os.close(self._fd)
        self._folder, self._fd = "", -1


def require_regular(fd: int, path: str) -> os.stat_result:
    """Return the status of an open file. Raises Refusal if it is not a regular file."""
    status = os.fstat(fd)
    if stat.S_ISDIR(status.st_mode):
        raise Refusal(WRONG_KIND, f"This is a directory: {path}")
    if not stat.S_ISREG(status.st_mode):
        raise Refusal(WRONG_KIND, f"This is not a regular file: {path}")
    return status
