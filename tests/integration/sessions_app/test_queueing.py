"""The length of a task queue, read from a real broker."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from celery import current_app

import agentsite.celery  # noqa: F401 - tasks are sent with our application
from sessions_app import queueing
from sessions_app.queueing import has_room


def test_a_queue_has_room_until_it_is_too_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(queueing, "MAX_QUEUE_LENGTH", 3)
    assert has_room("crowded")
    for _ in range(3):
        current_app.send_task("nobody.takes_it", queue="crowded", ignore_result=True)
    assert not has_room("crowded")
    assert has_room("another")


def test_it_can_be_asked_from_many_threads_and_again_and_again() -> None:
    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(has_room, ["agent"] * 40))
