"""A lock that serialises the writing transactions of SQLite across all processes.

SQLite allows one writer at a time. Waiting writers sleep and try again, for up to 0.1 s each time, which under load is
most of the waiting time. With a lock of the operating system the next writer wakes at once, and a killed process
releases the lock. PostgreSQL locks rows and does not need this lock.
"""

import fcntl
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from django.conf import settings
from django.db import connection

_thread_lock = threading.Lock()
_local = threading.local()
_descriptors: dict[Path, int] = {}


@contextmanager
def sqlite_write_lock() -> Iterator[None]:
    """Hold the write lock of SQLite; enter it before a transaction that writes.

    Does nothing on PostgreSQL and inside an open transaction. on_commit callbacks still hold the lock and need not
    acquire it.
    """
    if connection.vendor != "sqlite" or connection.in_atomic_block or getattr(_local, "holds_lock", False):
        yield
        return
    with _thread_lock:
        descriptor = _lock_file()
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        _local.holds_lock = True
        try:
            yield
        finally:
            _local.holds_lock = False
            fcntl.flock(descriptor, fcntl.LOCK_UN)


def _lock_file() -> int:
    path: Path = settings.RUN_DIR / "writers.lock"
    if path not in _descriptors:
        _descriptors[path] = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    return _descriptors[path]
