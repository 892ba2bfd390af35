"""Workers say that they live: a key per worker in Valkey that fades when nobody renews it."""

from typing import Any, Final

import structlog
from celery import bootsteps
from django.conf import settings
from django.core.cache import cache
from redis.exceptions import RedisError

PERIOD: Final = 5.0
LIFETIME: Final = 15

_log = structlog.get_logger(__name__)


def heartbeat_key(worker: str) -> str:
    return f"worker:{worker}"


def worker_name() -> str:
    """`agent`, or `sandbox.<node>`: a sandbox worker belongs to one Docker host."""
    return f"sandbox.{settings.NODE_NAME}" if settings.ROLE == "sandbox" else str(settings.ROLE.value)


class Heartbeat(bootsteps.StartStopStep):
    """Renews the key from the worker's own timer, so a worker whose main thread hangs fades too."""

    requires = {"celery.worker.components:Timer"}

    def __init__(self, parent: Any, **_options: Any) -> None:
        self._entry: Any = None

    def start(self, parent: Any) -> None:
        self._beat()
        self._entry = parent.timer.call_repeatedly(PERIOD, self._beat)

    def stop(self, parent: Any) -> None:
        if self._entry is not None:
            self._entry.cancel()

    def _beat(self) -> None:
        try:
            cache.set(heartbeat_key(worker_name()), 1, LIFETIME)
        except (RedisError, OSError):  # Valkey is away: the next beat tries again, and readiness says so meanwhile
            _log.warning("heartbeat_lost", worker=worker_name())
