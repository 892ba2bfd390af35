"""Lock a workspace against every other thread and process of this machine while its container or disk changes.

It is normal that two deployments use one directory: a worker and `manage.py sandbox reap`, or a worker and its
successor. Only a lock that both see prevents one of them from unmounting the disk of a container that the other is
about to create.
"""

import errno
import fcntl
import hashlib
import os
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from sandbox.disk.workspace_disks import LOCKS
from sandbox.errors import SandboxUnavailable

FILE: Final = "containers"
FLOCK: Final = struct.Struct("hhqqi4x")
"""struct flock: type, from where the start is counted, start, length, pid (0)."""
HASH_BYTES: Final = 7
"""A workspace's byte in the lock file is chosen by a hash this long: collisions are practically impossible, and the
file stays empty, because a lock may be on a byte that does not exist."""


class WorkspaceLocks:
    """The locks of all workspaces below `root`. The kernel frees the lock of a process that is killed."""

    def __init__(self, root: Path) -> None:
        self._folder = root / LOCKS

    @contextmanager
    def held(self, workspace_id: str) -> Iterator[None]:
        """Hold the lock of a workspace inside a `with` block. Waits for it; not reentrant."""
        lock = self._open()
        try:
            fcntl.fcntl(lock, fcntl.F_OFD_SETLKW, _request(workspace_id))
            yield
        finally:
            os.close(lock)

    @contextmanager
    def held_if_free(self, workspace_id: str) -> Iterator[bool]:
        """Hold the lock of a workspace inside a `with` block if nobody else holds it. Yields whether it is held."""
        lock = self._open()
        try:
            yield _try_lock(lock, workspace_id)
        finally:
            os.close(lock)

    def _open(self) -> int:
        """Open the lock file. It is opened for each use, because a lock belongs to the open file and not to the
        process. Raises SandboxUnavailable."""
        try:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            return os.open(self._folder / FILE, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise SandboxUnavailable(f"The workspaces' lock file could not be opened: {error.strerror}.") from error


def _try_lock(lock: int, workspace_id: str) -> bool:
    try:
        fcntl.fcntl(lock, fcntl.F_OFD_SETLK, _request(workspace_id))
    except OSError as error:
        if error.errno not in (errno.EAGAIN, errno.EACCES):
            raise
        return False
    return True


def _request(workspace_id: str) -> bytes:
    start = int.from_bytes(hashlib.blake2b(workspace_id.encode(), digest_size=HASH_BYTES).digest())
    return FLOCK.pack(fcntl.F_WRLCK, os.SEEK_SET, start, 1, 0)
