"""Share objects between the threads of a process: create an object exactly once, and provide a lock for each key.

`functools.cache` and `defaultdict` do not prevent two threads from creating the same entry at the same time. A second
entry is harmless if it only repeats work. But if the entry is or contains a lock, there are two locks, and neither
excludes the other thread.
"""

import threading
from collections.abc import Callable, Hashable
from functools import wraps
from typing import Generic, TypeVar

T = TypeVar("T")
Key = TypeVar("Key", bound=Hashable)


def created_once(create: Callable[[], T]) -> Callable[[], T]:
    """Return a function that calls `create` the first time, and returns the created object to every thread.

    If `create` raises, the next call tries again.
    """
    guard = threading.Lock()
    created: list[T] = []

    @wraps(create)
    def get() -> T:
        if not created:
            with guard:
                if not created:
                    created.append(create())
        return created[0]

    return get


class KeyedLocks(Generic[Key]):
    """Locks by key: `locks[key]` is the same object in every thread."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._locks: dict[Key, threading.Lock] = {}

    def __getitem__(self, key: Key) -> threading.Lock:
        with self._guard:
            return self._locks.setdefault(key, threading.Lock())
