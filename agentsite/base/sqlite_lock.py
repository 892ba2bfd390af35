"""A lock that serialises the writing transactions of SQLite across all processes.

SQLite allows one writer at a time. A writer that waits sleeps up to 0.1 s before it tries again, and under load most of
the waiting time is such sleep. With a lock of the operating system the next writer wakes at once, and a killed process
releases the lock. PostgreSQL locks rows and does not need this lock.
"""

import fcntl
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import connection

_thread_lock = threading.Lock()
_local = threading.local()
_descriptors: dict[Path, int] = {}


class _HeldLock:
    """The write lock of SQLite, held by this thread until `release`: at the first commit or at the end of the block."""

    def __init__(self) -> None:
        _thread_lock.acquire()
        try:
            self._descriptor = _lock_file()
            fcntl.flock(self._descriptor, fcntl.LOCK_EX)
        except BaseException:
            _thread_lock.release()
            raise
        self._is_held = _local.holds_lock = True

    def release(self) -> None:
        if self._is_held:
            self._is_held = _local.holds_lock = False
            fcntl.flock(self._descriptor, fcntl.LOCK_UN)
            _thread_lock.release()


@contextmanager
def sqlite_write_lock() -> Iterator[None]:
    """Hold the write lock of SQLite; enter it before a transaction that writes.

    Does nothing on PostgreSQL and inside an open transaction. The commit releases the lock before it runs on_commit
    callbacks, as PostgreSQL releases its locks: callbacks may wait for Valkey, and other writers must not wait for
    them.
    """
    if connection.vendor != "sqlite" or connection.in_atomic_block or getattr(_local, "holds_lock", False):
        yield
        return
    connection.ensure_connection()  # connecting drops callbacks
    held = _HeldLock()
    # Savepoints, function, robust: as `transaction.on_commit` stores it, which needs an open transaction.
    callback: Any = (set(), held.release, False)
    connection.run_on_commit.insert(0, callback)
    try:
        yield
    finally:
        held.release()
        connection.run_on_commit[:] = [each for each in connection.run_on_commit if each != callback]


def _lock_file() -> int:
    path: Path = settings.RUN_DIR / "writers.lock"
    if path not in _descriptors:
        _descriptors[path] = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    return _descriptors[path]
