"""A worker's task and the keeper of its lease run together; the first one to end decides the result of both."""

import asyncio
import threading

import pytest

from sessions_app.workers.shared import lease
from sessions_app.workers.shared.lease import Keeper, run_with_keeper


class Lost(Exception):
    pass


@pytest.fixture(autouse=True)
def _fast(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("PUBLISH_EVERY", "CHECK_EVERY", "SAVE_EVERY", "RENEW_EVERY"):
        monkeypatch.setattr(lease, name, 0.001)


class Recorder(Keeper):
    """A lease keeper that sets an event when it first does each duty. The duty `failing` raises an error."""

    def __init__(self, failing: str = "") -> None:
        self.failing = failing
        self.done = {name: threading.Event() for name in ("publish_progress", "check_lease", "renew", "save")}
        self.threads: dict[str, str] = {}

    def _do(self, name: str) -> None:
        self.threads[name] = threading.current_thread().name
        self.done[name].set()
        if name == self.failing:
            raise Lost(name)

    async def publish_progress(self) -> None:
        self._do("publish_progress")

    def check_lease(self) -> None:
        self._do("check_lease")

    def renew(self) -> None:
        self._do("renew")

    def save(self) -> None:
        self._do("save")


async def wait_for(*events: threading.Event) -> None:
    async with asyncio.timeout(5):
        for event in events:
            await asyncio.to_thread(event.wait, 5)


async def never(ended: list[str]) -> None:
    try:
        await asyncio.Event().wait()
    finally:
        ended.append("cancelled")


async def test_the_result_is_the_works() -> None:
    async def work() -> int:
        return 42

    assert await run_with_keeper(work(), Recorder()) == 42


async def test_work_shorter_than_a_tick_is_not_disturbed() -> None:
    keeper = Recorder()

    async def work() -> None:
        return None

    await run_with_keeper(work(), keeper)
    assert not any(event.is_set() for event in keeper.done.values())


async def test_while_the_work_runs_news_are_told_and_saved_and_the_lease_is_renewed() -> None:
    keeper = Recorder()
    await run_with_keeper(wait_for(keeper.done["publish_progress"], keeper.done["save"], keeper.done["renew"]), keeper)
    assert keeper.done["save"].is_set()


async def test_between_renewals_the_keeper_looks_whether_the_work_is_still_wanted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(lease, "RENEW_EVERY", 60.0)
    keeper = Recorder()
    await run_with_keeper(wait_for(keeper.done["check_lease"]), keeper)
    assert not keeper.done["renew"].is_set()


async def test_what_touches_the_database_does_not_block_the_loop() -> None:
    keeper = Recorder()
    await run_with_keeper(wait_for(keeper.done["publish_progress"], keeper.done["save"]), keeper)
    assert keeper.threads["publish_progress"] == threading.current_thread().name
    assert keeper.threads["save"] != threading.current_thread().name


@pytest.mark.parametrize("duty", ["publish_progress", "renew", "save"])
async def test_when_the_keeper_fails_the_work_is_cancelled(duty: str) -> None:
    ended: list[str] = []
    with pytest.raises(Lost, match=duty):
        await run_with_keeper(never(ended), Recorder(failing=duty))
    assert ended == ["cancelled"]


async def test_the_works_error_is_raised_and_ends_the_keeper() -> None:
    keeper = Recorder()

    async def work() -> None:
        await wait_for(keeper.done["publish_progress"])
        raise Lost("work")

    with pytest.raises(Lost, match="work"):
        await run_with_keeper(work(), keeper)
    assert len(asyncio.all_tasks()) == 1


async def test_cancelling_from_outside_ends_both() -> None:
    ended: list[str] = []
    keeper = Recorder()
    whole = asyncio.ensure_future(run_with_keeper(never(ended), keeper))
    await wait_for(keeper.done["publish_progress"])
    whole.cancel()
    with pytest.raises(asyncio.CancelledError):
        await whole
    assert ended == ["cancelled"]
    assert len(asyncio.all_tasks()) == 1
