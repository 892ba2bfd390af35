"""Writers of SQLite take turns.

SQLite lets one writer in at a time and has the others sleep and ask again, for up to a tenth of a second each time.
Under load that is most of the waiting there is. A lock of the operating system wakes the next one at once, and a
killed process lets go of it. PostgreSQL locks rows and needs none of this.
"""

import fcntl
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from django.conf import settings
from django.db import connection

_threads = threading.Lock()
_mine = threading.local()
_files: dict[Path, int] = {}


@contextmanager
def sqlite_write_lock() -> Iterator[None]:
    """Wait for one's turn to open a transaction that writes. Inside an open transaction it is one's turn already, and
    in what is done right after its commit it still is."""
    if connection.vendor != "sqlite" or connection.in_atomic_block or getattr(_mine, "turn", False):
        yield
        return
    with _threads:
        descriptor = _lock_file()
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        _mine.turn = True
        try:
            yield
        finally:
            _mine.turn = False
            fcntl.flock(descriptor, fcntl.LOCK_UN)


def _lock_file() -> int:
    path: Path = settings.RUN_DIR / "writers.lock"
    if path not in _files:
        _files[path] = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    return _files[path]
