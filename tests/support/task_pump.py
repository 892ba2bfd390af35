"""A worker under the control of a test: tasks are collected, and run one after another when the test says so.

The test decides about delivery: in order, twice, or never.
"""

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
from celery import current_app

from agentsite.base import task_table
from sessions_app import queueing


@dataclass(frozen=True, slots=True)
class WakeUp:
    name: str
    args: tuple[Any, ...]
    queue: str
    delay: float


class TaskPump:
    def __init__(self) -> None:
        self.waiting: deque[WakeUp] = deque()
        self.done: list[WakeUp] = []

    def collect(self, name: str, *args: Any, queue: str, delay: float = 0.0) -> None:
        if name.startswith("sessions."):  # e-mails and webhooks are sent by the tests that are about them
            self.waiting.append(WakeUp(name, args, queue, delay))

    def backlog(self, queue: str) -> int:
        return sum(wake_up.queue == queue for wake_up in self.waiting)

    def names(self) -> list[str]:
        return [wake_up.name for wake_up in self.waiting]

    def step(self, *, times: int = 1) -> WakeUp:
        """Deliver the oldest task, `times` times."""
        wake_up = self.waiting.popleft()
        for _ in range(times):
            current_app.tasks[wake_up.name](*wake_up.args)
        self.done.append(wake_up)
        return wake_up

    def deliver(self, name: str) -> None:
        """Deliver the oldest task of this name, before all others."""
        wake_up = next(found for found in self.waiting if found.name == name)
        self.waiting.remove(wake_up)
        current_app.tasks[wake_up.name](*wake_up.args)

    def run(self, *, until: Callable[[], bool] | None = None, limit: int = 200, times: int = 1) -> None:
        """Deliver tasks until none waits, or `until` holds. Delayed tasks are delivered at once."""
        for _ in range(limit):
            if not self.waiting or (until is not None and until()):
                return
            self.step(times=times)
        raise AssertionError(f"still waiting after {limit} deliveries: {self.names()}")

    def lose(self) -> list[WakeUp]:
        """Lose all waiting tasks, as if the broker had been emptied; return them."""
        lost = list(self.waiting)
        self.waiting.clear()
        return lost


@pytest.fixture
def pump(monkeypatch: pytest.MonkeyPatch) -> TaskPump:
    import agentsite.celery  # noqa: F401 - registers the tasks

    pump = TaskPump()
    monkeypatch.setattr(task_table, "_send", pump.collect)
    monkeypatch.setattr(queueing, "_backlog", pump.backlog)
    return pump
