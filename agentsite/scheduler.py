"""The clock of the site: a thread inside the `beat` worker that sends the periodic tasks, which the same worker does.

Exactly one beat process belongs to a site. A second one would do no harm, only the work twice.
"""

from typing import Any

from celery import bootsteps
from celery.beat import EmbeddedService


class Clock(bootsteps.StartStopStep):
    """Keeps its times in memory: after a restart everything is due at once, which is what recovery wants."""

    def __init__(self, parent: Any, **_options: Any) -> None:
        self._service: Any = None

    def start(self, parent: Any) -> None:
        self._service = EmbeddedService(parent.app, thread=True, scheduler_cls="celery.beat:Scheduler")
        self._service.start()

    def stop(self, parent: Any) -> None:
        if self._service is not None:
            self._service.stop()
