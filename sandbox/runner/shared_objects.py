"""Remove shared memory, semaphores and message queues that outlive the command that created them.

They belong to no process: System V objects stay until somebody removes them, and files in /dev/shm until they are
deleted. So a command could keep the workspace's memory in use after its end. When a command ends, the objects that no
running command can own are removed: all of them if no command runs, otherwise those that were last used before the
oldest running command began. Memory whose creator still runs, or that a process has attached, is kept.
"""

import ctypes
import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import Final, NamedTuple

from .privileges import Identity
from .tree import open_exactly

IPC_RMID: Final = 0
TABLES: Final = ("shm", "sem", "msg")
TABLE_BYTES: Final = 1 << 20  # read at once; objects beyond are found in the next round
ROUNDS: Final = 50
SHARED_FOLDER: Final = "/dev/shm"  # noqa: S108 - it is emptied, not used
CLEANUP_TIMEOUT: Final = 2.0  # seconds
FOREVER: Final = float("inf")
CLOCK_TOLERANCE: Final = 2.0
"""Seconds; the kernel shows the times of System V objects in whole seconds."""
FOLDER_FLAGS: Final = os.O_RDONLY | os.O_DIRECTORY

_libc: Final = ctypes.CDLL(None, use_errno=True)
REMOVE: Final[dict[str, Callable[[int], int]]] = {
    "shm": lambda number: int(_libc.shmctl(number, IPC_RMID, None)),
    "sem": lambda number: int(_libc.semctl(number, 0, IPC_RMID)),
    "msg": lambda number: int(_libc.msgctl(number, IPC_RMID, None)),
}


class RunningJob(NamedTuple):
    """A process that runs while another one ends. `is_command` is False for interactive processes and helpers."""

    started_at: float
    is_command: bool


class SystemVObject(NamedTuple):
    """An object in /proc/sysvipc. `used_at` is the latest time in the object's row, as a Unix time."""

    kind: str
    number: int
    creator: int
    attached: int
    used_at: float


class SharedObjects:
    """The removal of the tool user's shared memory, semaphores and message queues, and of its files in /dev/shm."""

    def __init__(self, identity: Identity) -> None:
        self._identity = identity
        self._tables = {kind: _open_if_present(f"/proc/sysvipc/{kind}") for kind in TABLES}
        self._folder_fd = _open_if_present(SHARED_FOLDER)

    def remove_unowned(self, running: Sequence[RunningJob]) -> None:
        """Remove the objects that none of the running jobs can own. Gives up after 2 s; the work continues at the next
        end of a command."""
        deadline = time.monotonic() + CLEANUP_TIMEOUT
        self._remove_system_v(running, deadline)
        if self._folder_fd >= 0:
            with self._identity.as_tool_user():
                self._empty_folder(_oldest(running), deadline)

    def _remove_system_v(self, running: Sequence[RunningJob], deadline: float) -> None:
        limits = {kind: _oldest(running) for kind in TABLES}
        limits["shm"] = _oldest([job for job in running if job.is_command])  # others have theirs attached
        for _ in range(ROUNDS):
            found = [
                each for kind in TABLES for each in self._read(kind) if each.used_at < limits[kind] and not in_use(each)
            ]
            if not found or time.monotonic() > deadline:
                return
            with self._identity.as_sender():
                removed = [REMOVE[each.kind](each.number) == 0 for each in found]
            if not any(removed):
                return

    def _read(self, kind: str) -> Iterator[SystemVObject]:
        if self._tables[kind] < 0:
            return
        header, *lines = os.pread(self._tables[kind], TABLE_BYTES, 0).decode("ascii", "replace").split("\n")
        names = header.split()
        for line in lines:
            fields = dict(zip(names, line.split(), strict=False))
            if len(fields) == len(names):
                yield _parse(kind, fields)

    def _empty_folder(self, used_before: float, deadline: float) -> None:
        """Remove the entries of /dev/shm that were last changed before `used_before`. Folders are only removed if no
        command is running.

        A folder's subfolders are moved up first, so that neither their depth nor their number matters.
        """
        while time.monotonic() < deadline:
            folders = []
            with os.scandir(self._folder_fd) as entries:
                for entry in entries:
                    if entry.is_dir(follow_symlinks=False):
                        folders.append(entry.name)
                    elif _changed_at(entry) < used_before:
                        _unlink(self._folder_fd, entry.name)
            if not folders or used_before != FOREVER:
                return
            if sum(self._remove_folder(name) for name in folders) == 0:
                return

    def _remove_folder(self, name: str) -> bool:
        """Remove a folder after moving its subfolders up one level. Returns False if it is still there."""
        with suppress(OSError):
            os.chmod(name, 0o700, dir_fd=self._folder_fd)
            fd = open_exactly(self._folder_fd, name, FOLDER_FLAGS)
            try:
                with os.scandir(fd) as entries:
                    for entry in entries:
                        if entry.is_dir(follow_symlinks=False):
                            os.chmod(entry.name, 0o700, dir_fd=fd)
                            os.rename(entry.name, os.urandom(8).hex(), src_dir_fd=fd, dst_dir_fd=self._folder_fd)
                        else:
                            _unlink(fd, entry.name)
            finally:
                os.close(fd)
            os.rmdir(name, dir_fd=self._folder_fd)
            return True
        return False


def in_use(each: SystemVObject) -> bool:
    """Return whether a process has the memory attached, or its creator still runs."""
    return each.attached > 0 or (each.creator > 0 and os.path.exists(f"/proc/{each.creator}"))


def _oldest(running: Sequence[RunningJob]) -> float:
    """Return the earliest possible start of these jobs. Objects that were last used before this time cannot belong to
    them."""
    return min((job.started_at - CLOCK_TOLERANCE for job in running), default=FOREVER)


def _parse(kind: str, fields: dict[str, str]) -> SystemVObject:
    times = [int(fields[name]) for name in ("ctime", "otime", "stime", "rtime", "atime", "dtime") if name in fields]
    number = int(fields[{"shm": "shmid", "sem": "semid", "msg": "msqid"}[kind]])
    return SystemVObject(kind, number, int(fields.get("cpid", 0)), int(fields.get("nattch", 0)), max(times))


def _open_if_present(path: str) -> int:
    try:
        return os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return -1


def _changed_at(entry: "os.DirEntry[str]") -> float:
    """Return the time when an entry was last changed; `FOREVER` if the entry no longer exists."""
    try:
        return entry.stat(follow_symlinks=False).st_ctime
    except OSError:
        return FOREVER


def _unlink(folder_fd: int, name: str) -> None:
    with suppress(OSError):
        os.unlink(name, dir_fd=folder_fd)
