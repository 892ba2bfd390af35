"""The lock that serialises writers of SQLite: the code that waits for it, and its release."""

import threading
from collections.abc import Callable

import pytest
from django.db import connection, transaction

from agentsite.base.sqlite_lock import sqlite_write_lock

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(connection.vendor != "sqlite", reason="PostgreSQL locks rows"),
]


def another_thread_can_write(*, within: float) -> bool:
    """Return whether another thread acquires SQLite's write lock within `within` seconds. If it does, the thread has
    ended afterwards."""
    got_it = threading.Event()

    def write() -> None:
        with sqlite_write_lock():
            got_it.set()
        connection.close()

    writer = threading.Thread(target=write, daemon=True)
    writer.start()
    found = got_it.wait(within)
    if found:
        writer.join(5)
    return found


def during(block: Callable[[], None]) -> None:
    with sqlite_write_lock(), transaction.atomic():
        block()


def test_others_wait_during_the_transaction() -> None:
    found: list[bool] = []
    during(lambda: found.append(another_thread_can_write(within=0.2)))
    assert found == [False]
    assert another_thread_can_write(within=5)


def test_callbacks_after_the_commit_hold_nobody_up() -> None:
    found: list[bool] = []
    during(lambda: transaction.on_commit(lambda: found.append(another_thread_can_write(within=5))))
    assert found == [True]


def test_callback_that_writes_takes_the_lock_again() -> None:
    found: list[bool] = []
    during(
        lambda: transaction.on_commit(
            lambda: during(lambda: found.append(another_thread_can_write(within=0.2))),
        )
    )
    assert found == [False]
    assert another_thread_can_write(within=5)


def test_rollback_releases_the_lock() -> None:
    def fail() -> None:
        raise LookupError

    with pytest.raises(LookupError):
        during(fail)
    assert another_thread_can_write(within=5)
    assert not connection.run_on_commit


def test_block_without_a_transaction_leaves_no_callback() -> None:
    with sqlite_write_lock():
        assert not another_thread_can_write(within=0.2)
    assert not connection.run_on_commit
    assert another_thread_can_write(within=5)
