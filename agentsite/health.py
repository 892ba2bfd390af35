"""Health endpoints for liveness and readiness, cheap enough to be polled every second."""

from collections.abc import Callable
from typing import Final, Literal

import structlog
from django.conf import settings
from django.core.cache import cache
from django.db import DatabaseError, connection
from django.http import HttpRequest
from ninja import Router, Schema
from redis.exceptions import RedisError

from agentsite.base.error_codes import ErrorCode
from agentsite.base.errors import Unavailable
from agentsite.heartbeat import heartbeat_key

_log = structlog.get_logger(__name__)
router = Router(tags=["health"], auth=None)


class LiveView(Schema):
    status: Literal["ok"]


class ReadyView(Schema):
    """The readiness of the site. `parts` lists every part that was checked; the value is always "ok"."""

    status: Literal["ready"]
    parts: dict[str, str]


def _check_database() -> str:
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
    return ""


def _check_valkey() -> str:
    cache.get("ready")
    return ""


def _check_worker(name: str) -> Callable[[], str]:
    return lambda: "" if cache.get(heartbeat_key(name)) else "no worker has reported recently"


_PARTS: Final[dict[str, Callable[[], str]]] = {
    "database": _check_database,
    "valkey": _check_valkey,
    "agent": _check_worker("agent"),
    "sandbox": _check_worker(f"sandbox.{settings.NODE_NAME}"),
}


def _problem(name: str, check: Callable[[], str]) -> str:
    try:
        return check()
    except (DatabaseError, RedisError, OSError):
        _log.warning("part_not_ready", part=name, exc_info=True)
        return "does not respond"


@router.get("/live", response=LiveView, operation_id="get_live")
def get_live(request: HttpRequest) -> LiveView:
    """Check that the web process answers."""
    return LiveView(status="ok")


@router.get("/ready", response=ReadyView, operation_id="get_ready")
def get_ready(request: HttpRequest) -> ReadyView:
    """Check that database, Valkey and workers answer. Fails with 503 `not_ready` and lists the parts that do not."""
    problems = {name: problem for name, check in _PARTS.items() if (problem := _problem(name, check))}
    if problems:
        raise Unavailable("Some parts of the site are not ready.", code=ErrorCode.NOT_READY, fields=problems)
    return ReadyView(status="ready", parts=dict.fromkeys(_PARTS, "ok"))
