"""Paths: where one leads, whether it is inside the workspace, and opening exactly what was found.

A path is resolved first and then opened with openat2, which follows no link at all on the way. So what is opened is
what was resolved, or nothing: swapping a directory for a link in between makes the opening fail, and it is resolved
again. Outside the workspace only a path that contains no link is accepted, so that what the permission layer was
asked about is what is opened; with `exact` the same holds inside. Call everything here as the tool user.

This is the only way from a path to a file: the other modules may touch a name only beside a descriptor from here
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
CLOSED: Final = ("/proc", "/sys")
ATTEMPTS: Final = 5
LONGEST_PATH: Final = 4096
MOST_LINKS: Final = 40
"""Both as the kernel has them."""


class Place(NamedTuple):
    """`asked` is the caller's word, `real` the path without links, `inside` whether that is in the workspace."""

    asked: str
    real: str
    inside: bool
    base_fd: int
    relative: str

    @property
    def is_root(self) -> bool:
        return self.relative == "."


class Tree:
    """The file system as tools see it. In a container the roots are where they seem to be; in tests elsewhere."""

    def __init__(self, workspace: str = WORKSPACE, home: str = HOME) -> None:
        self.workspace = os.path.realpath(workspace)
        self.home = os.path.realpath(home)
        self.root_fd = os.open(self.workspace, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
        self.slash_fd = os.open("/", os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
        self._moved = [(s, r) for s, r in ((WORKSPACE, self.workspace), (HOME, self.home)) if s != r]

    def to_real(self, path: str) -> str:
        require_possible(path)
        if not path.startswith("/"):
            return f"{self.workspace}/{path}"
        path = f"/{path.lstrip('/')}"
        for shown, real in self._moved:
            if is_under(path, shown):
                return real + path[len(shown) :]
        return path

    def to_shown(self, path: str) -> str:
        for shown, real in self._moved:
            if is_under(path, real):
                return shown + path[len(real) :]
        return path

    def locate(self, path: str, *, follow: bool = True, exact: bool = False) -> Place:
        """Where a path leads; with `follow=False` a link at its end is itself the place.

        `exact`: the path was resolved before. It is taken as it stands, and a link that got into it meanwhile makes
        the opening fail.
        """
        self._keep_open()
        wanted = self.to_real(path)
        refuse_system(os.path.normpath(wanted))
        if exact and wanted != os.path.normpath(wanted):
            raise Refusal(REFUSED, f"This path was not resolved: {path}")
        real = wanted if exact else resolve(wanted, follow=follow)
        refuse_system(real)
        if is_under(real, self.workspace):
            return Place(path, real, True, self.root_fd, real[len(self.workspace) + 1 :] or ".")
        return Place(path, real, False, self.slash_fd, real[1:] or ".")

    def _keep_open(self) -> None:
        """The workspace belongs to the tool user: a `chmod -R` in it must not close it to every later command."""
        mode = stat.S_IMODE(os.fstat(self.root_fd).st_mode)
        if mode & stat.S_IRWXU != stat.S_IRWXU:
            os.chmod(self.workspace, mode | stat.S_IRWXU)

    def reach(self, path: str, *, follow: bool = True, exact: bool = False) -> Place:
        """As `locate`, for use: a link that leaves the workspace is refused unless its target is what was asked for."""
        place = self.locate(path, follow=follow, exact=exact)
        if not place.inside and place.real != (self.to_real(path).rstrip("/") or "/"):
            raise Refusal(
                PATH_OUTSIDE,
                f"{path} leads to {self.to_shown(place.real)}, outside the workspace. Use that path if you mean it.",
            )
        return place

    @contextmanager
    def opened(self, path: str, flags: int, *, exact: bool = False) -> Iterator[tuple[int, Place]]:
        """A descriptor of what `reach` finds, closed at the end of the block. Never blocks on a FIFO."""
        fd, place = self._open(path, flags, exact=exact)
        try:
            yield fd, place
        finally:
            os.close(fd)

    def _open(self, path: str, flags: int, *, exact: bool) -> tuple[int, Place]:
        for attempt in range(ATTEMPTS):
            place = self.reach(path, exact=exact)
            try:
                return open_exactly(place.base_fd, place.relative, flags), place
            except OSError as error:
                if error.errno not in (errno.ELOOP, errno.EXDEV) or attempt == ATTEMPTS - 1:
                    raise
        raise AssertionError("The loop returns or raises.")


def refuse_system(path: str) -> None:
    if any(is_under(path, closed) for closed in CLOSED):
        raise Refusal(PATH_OUTSIDE, f"{path} is part of the system, which tools may not reach.")


def require_possible(path: str) -> None:
    """Refusal for what no file can be called."""
    try:
        size = len(os.fsencode(path))
    except UnicodeEncodeError:
        raise Refusal(REFUSED, "A path must not contain half of a character.") from None
    if not path or "\0" in path:
        raise Refusal(REFUSED, "A path must not be empty or contain a zero byte.")
    if size >= LONGEST_PATH:
        raise Refusal(REFUSED, f"A path must be shorter than {LONGEST_PATH} bytes.")


def resolve(path: str, *, follow: bool) -> str:
    """Without links as far as the path exists; an absolute path. Not `follow`: the last part is kept as it is.

    Refusal for a way through the system's files, whose links mean other things to every process, and for more links
    than the kernel would follow. (os.path.realpath knows no such limit: it takes a chain of a
    thousand links for an error of its own.)
    """
    done, links = "", 0
    waiting = path.rstrip("/").split("/")[::-1]
    while waiting:
        part = waiting.pop()
        if part == "..":
            done = done.rpartition("/")[0]
        elif part not in ("", "."):
            place = f"{done}/{part}"
            refuse_system(place)
            target = read_link(place) if follow or waiting else None
            if target is None:
                done = place
                continue
            links += 1
            if links > MOST_LINKS:
                raise Refusal(PATH_OUTSIDE, f"The links of this path lead in a circle, or are too many: {path}")
            done = "" if target.startswith("/") else done
            waiting += target.split("/")[::-1]
    return done or "/"


def read_link(path: str) -> str | None:
    """None for what is no link, or cannot be looked at."""
    try:
        return os.readlink(path) if stat.S_ISLNK(os.lstat(path).st_mode) else None
    except OSError:
        return None


def is_under(path: str, root: str) -> bool:
    return path == root or path.startswith(root + "/")


def open_exactly(base_fd: int, relative: str, flags: int) -> int:
    return kernel.openat2(base_fd, relative, flags if flags & os.O_PATH else flags | os.O_NONBLOCK | os.O_NOCTTY)


def status_exactly(base_fd: int, relative: str) -> os.stat_result:
    """Of a file, a directory or, at the end only, of a link itself."""
    fd = open_exactly(base_fd, relative, os.O_PATH | os.O_NOFOLLOW)
    try:
        return os.fstat(fd)
    finally:
        os.close(fd)


class Below:
    """What lies below a directory, looked at name by name: the folder of the last name is kept open for the next."""

    def __init__(self, base_fd: int) -> None:
        self._base_fd = base_fd
        self._folder, self._fd = "", -1

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._close()

    def status(self, relative: str) -> os.stat_result:
        """Of a file, a directory or, at the end only, of a link itself. OSError for what is not there."""
        folder, name = os.path.split(relative)
        if name in ("", ".", ".."):
            raise OSError(errno.EINVAL, os.strerror(errno.EINVAL))
        folder = folder or "."
        if folder != self._folder:
            self._close()
            self._fd = open_exactly(self._base_fd, folder, os.O_PATH | os.O_DIRECTORY)
            self._folder = folder
        return os.lstat(name, dir_fd=self._fd)

    def _close(self) -> None:
        if self._fd >= 0:
            os.close(self._fd)
        self._folder, self._fd = "", -1


def require_regular(fd: int, path: str) -> os.stat_result:
    status = os.fstat(fd)
    if stat.S_ISDIR(status.st_mode):
        raise Refusal(WRONG_KIND, f"This is a directory: {path}")
    if not stat.S_ISREG(status.st_mode):
        raise Refusal(WRONG_KIND, f"This is not a regular file: {path}")
    return status
