"""Objects that threads share are created once, even if many threads need them at the same time."""

import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Final

import pytest

from agentsite.base.threads import KeyedLocks, created_once

THREADS: Final = 8


def test_threads_that_ask_at_once_get_one_object() -> None:
    begun = threading.Event()
    all_ask = threading.Barrier(THREADS)

    @created_once
    def shared() -> object:
        begun.wait(0.2)  # nobody sets it: every other thread arrives while the first one creates
        return object()

    def ask() -> object:
        all_ask.wait(10)
        return shared()

    with ThreadPoolExecutor(THREADS) as pool:
        found = {id(each.result()) for each in [pool.submit(ask) for _ in range(THREADS)]}

    assert len(found) == 1


def test_what_could_not_be_created_is_tried_again() -> None:
    attempts: list[int] = []

    @created_once
    def shared() -> int:
        attempts.append(1)
        if len(attempts) == 1:
            raise OSError("not yet")
        return len(attempts)

    with pytest.raises(OSError, match="not yet"):
        shared()

    assert [shared(), shared()] == [2, 2]


class SlowKey:
    """A key whose hash is calculated in Python code, as for a UUID, so that another thread may run during a look-up."""

    def __init__(self, pause: threading.Barrier) -> None:
        self._pause = pause

    def __hash__(self) -> int:
        with suppress(threading.BrokenBarrierError):
            self._pause.wait(0.1)
        return 1

    def __eq__(self, other: object) -> bool:
        return True


def test_a_key_has_one_lock_also_when_its_hash_lets_other_threads_run() -> None:
    pause = threading.Barrier(2)
    locks = KeyedLocks[SlowKey]()

    with ThreadPoolExecutor(2) as pool:
        both = [pool.submit(lambda: locks[SlowKey(pause)]) for _ in range(2)]
        found = {id(each.result()) for each in both}

    assert len(found) == 1
