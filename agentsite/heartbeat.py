"""Worker heartbeats: each worker keeps a key in Valkey, which expires when the worker no longer renews it."""

from typing import Any, Final

import structlog
from celery import bootsteps
from django.conf import settings
from django.core.cache import cache
from redis.exceptions import RedisError

HEARTBEAT_INTERVAL: Final = 5.0  # seconds
HEARTBEAT_TTL: Final = 15  # seconds

_log = structlog.get_logger(__name__)


def heartbeat_key(worker: str) -> str:
    return f"worker:{worker}"


def worker_name() -> str:
    """Return the name of this worker: its role or, for a sandbox worker, `sandbox.<node>`.

    Each sandbox worker belongs to one Docker host.
    """
    return f"sandbox.{settings.NODE_NAME}" if settings.ROLE == "sandbox" else str(settings.ROLE.value)


class Heartbeat(bootsteps.StartStopStep):
    """Celery worker step that renews the heartbeat key from the worker's timer, so that the key also expires when the
    main thread hangs."""

    requires = {"celery.worker.components:Timer"}

    def __init__(self, parent: Any, **_options: Any) -> None:
        self._entry: Any = None

    def start(self, parent: Any) -> None:
        self._renew()
        self._entry = parent.timer.call_repeatedly(HEARTBEAT_INTERVAL, self._renew)

    def stop(self, parent: Any) -> None:
        if self._entry is not None:
            self._entry.cancel()

    def _renew(self) -> None:
        try:
            cache.set(heartbeat_key(worker_name()), 1, HEARTBEAT_TTL)
        except (RedisError, OSError):  # Valkey is down; the readiness check fails until a later call succeeds
            _log.warning("heartbeat_lost", worker=worker_name())
