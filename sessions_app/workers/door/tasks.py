"""Run the tasks of the door's queue in a thread beside its connections."""

import threading
import time
from typing import Any, Final

import structlog
from celery import current_app

from sessions_app.queueing import DOOR_QUEUE

THREADS: Final = 8  # questions at the same time; each waits for a forge most of the time
RESTART_DELAY: Final = 1.0  # seconds

logger = structlog.get_logger(__name__)


class DoorTasks:
    """A Celery worker in a daemon thread, without its own signal handlers and logging. When the process ends,
    unfinished tasks are lost; the requester gets an error and has to send the request again."""

    def __init__(self, hostname: str) -> None:
        self._hostname = hostname
        self._thread = threading.Thread(target=self._work, name="door-tasks", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def _work(self) -> None:
        """Run the Celery worker, and start it again if it ends by itself."""
        while True:
            self._make_worker().start()
            logger.error("door_tasks_ended", worker=self._hostname)
            time.sleep(RESTART_DELAY)

    def _make_worker(self) -> Any:
        return current_app.WorkController(
            app=current_app._get_current_object(),  # noqa: SLF001 - of the proxy
            queues=[DOOR_QUEUE], hostname=self._hostname, pool="threads", concurrency=THREADS,
            without_gossip=True, without_mingle=True, without_heartbeat=True, loglevel="WARNING",
        )  # fmt: skip
