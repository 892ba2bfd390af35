"""Read the rights of many sockets and streams of this process together.

Each socket or stream checks its rights from time to time. A check that ran alone would need a thread and a database
connection, which cost more than its queries. Checks that become due while others run are collected, and run together
afterwards. Periodic checks become due at the same moments for all sockets and streams, see `is_due`.
"""

import asyncio
import time
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any, Final, TypeVar
from weakref import WeakKeyDictionary

from channels.db import database_sync_to_async

from sessions_app.transport.shared_tasks import start_shared

MAX_TOGETHER: Final = 25  # checks in one call; others of this process wait for the interpreter meanwhile

T = TypeVar("T")
Check = Callable[[], Any]


def seconds_to_next(interval: float) -> float:
    """Return the seconds until the next check of access rights. All checks with the same interval are due at the same
    moments."""
    return interval - time.monotonic() % interval


def is_due(checked_at: float, interval: float) -> bool:
    """Return whether checks of rights with this interval have become due since `checked_at`, a time of the monotonic
    clock."""
    return time.monotonic() // interval != checked_at // interval


async def read_rights(check: Callable[[], T]) -> T:
    """Run a check of rights, which reads the database, in one batch with other waiting checks, and return its result.
    Raises the exception of the check."""
    found: T = await _of_loops.setdefault(asyncio.get_running_loop(), _Checks()).read(check)
    return found


class _Checks:
    """Collects the permission checks that the connections of one event loop wait for, and runs them in batches."""

    def __init__(self) -> None:
        self._waiting: deque[tuple[Check, asyncio.Future[Any]]] = deque()
        self._task: asyncio.Task[None] | None = None
        self._is_working = False

    async def read(self, check: Check) -> Any:
        future = asyncio.get_running_loop().create_future()
        self._waiting.append((check, future))
        if not self._is_working:
            self._is_working = True
            self._task = start_shared(self._work())
        return await future

    async def _work(self) -> None:
        try:
            while self._waiting:
                batch = [self._waiting.popleft() for _ in range(min(MAX_TOGETHER, len(self._waiting)))]
                await self._read_batch(batch)
        finally:
            self._is_working = False  # not when the task is done, which is later

    @staticmethod
    async def _read_batch(batch: Sequence[tuple[Check, asyncio.Future[Any]]]) -> None:
        checks = [check for check, _ in batch]
        try:
            results = await database_sync_to_async(_read_all, thread_sensitive=False)(checks)
        except Exception as error:  # noqa: BLE001 - nobody may wait for ever
            results = [(None, error)] * len(batch)
        for (_, future), (result, failure) in zip(batch, results, strict=True):
            _settle(future, result, failure)


def _settle(future: asyncio.Future[Any], result: Any, error: Exception | None) -> None:
    if future.done():  # the caller no longer waits
        return
    if error is None:
        future.set_result(result)
    else:
        future.set_exception(error)


def _read_all(checks: Sequence[Check]) -> Sequence[tuple[Any, Exception | None]]:
    return [_read(check) for check in checks]


def _read(check: Check) -> tuple[Any, Exception | None]:
    try:
        return check(), None
    except Exception as error:  # noqa: BLE001 - of one reader, which gets it
        return None, error


_of_loops: Final[WeakKeyDictionary[asyncio.AbstractEventLoop, _Checks]] = WeakKeyDictionary()
