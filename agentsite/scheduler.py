"""Celery beat as a thread of the `beat` worker: it sends the periodic tasks, and the same worker runs them.

A site has exactly one beat process. A second one would be harmless, except that all periodic work would be done twice.
"""

from typing import Any

from celery import bootsteps
from celery.beat import EmbeddedService


class BeatThread(bootsteps.StartStopStep):
    """Worker step that runs the scheduler in a thread.

    The schedule is kept in memory, so after a restart every task is due at once; recovery relies on that.
    """

    def __init__(self, parent: Any, **_options: Any) -> None:
        self._service: Any = None

    def start(self, parent: Any) -> None:
        self._service = EmbeddedService(parent.app, thread=True, scheduler_cls="celery.beat:Scheduler")
        self._service.start()

    def stop(self, parent: Any) -> None:
        if self._service is not None:
            self._service.stop()
