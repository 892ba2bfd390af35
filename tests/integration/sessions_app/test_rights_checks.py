"""Access checks for many readers share a few threads, and each reader gets its own result."""

import asyncio
import threading
from functools import partial

import pytest

from sessions_app.transport.rights_checks import is_due, read_rights

TIMEOUT_SECONDS = 10.0


async def test_checks_that_come_together_share_threads_and_each_gets_its_own_result() -> None:
    threads: list[int] = []

    def check(number: int) -> int:
        threads.append(threading.get_ident())
        return number

    async with asyncio.timeout(TIMEOUT_SECONDS):
        found = await asyncio.gather(*(read_rights(partial(check, number)) for number in range(40)))
    assert found == list(range(40))
    assert len(set(threads)) <= 3


async def test_a_check_that_fails_fails_for_its_reader_only() -> None:
    def fail() -> bool:
        raise LookupError("gone")

    async with asyncio.timeout(TIMEOUT_SECONDS):
        failed, fine = await asyncio.gather(read_rights(fail), read_rights(lambda: True), return_exceptions=True)
    assert isinstance(failed, LookupError)
    assert fine is True


async def test_checks_go_on_one_after_another() -> None:
    async with asyncio.timeout(TIMEOUT_SECONDS):
        assert [await read_rights(partial(int, number)) for number in range(20)] == list(range(20))


async def test_whoever_has_gone_holds_up_nobody() -> None:
    begun, go_on = threading.Event(), threading.Event()

    def slow() -> bool:
        begun.set()
        return go_on.wait(TIMEOUT_SECONDS)

    gone = asyncio.ensure_future(read_rights(slow))
    async with asyncio.timeout(TIMEOUT_SECONDS):
        while not begun.is_set():
            await asyncio.sleep(0.01)
        gone.cancel()
        waiting = asyncio.ensure_future(read_rights(lambda: True))
        go_on.set()
        assert await waiting


def test_everything_with_one_interval_is_due_at_the_same_moments(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sessions_app.transport.rights_checks.time.monotonic", lambda: 20.5)
    assert [is_due(checked_at, 10.0) for checked_at in (0.0, 9.9, 19.9, 20.0, 20.4)] == [True, True, True, False, False]
