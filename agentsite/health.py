"""Is the site alive, and is every part of it there? Cheap enough to be asked every second."""

from collections.abc import Callable
from typing import Final, Literal

import structlog
from django.conf import settings
from django.core.cache import cache
from django.db import DatabaseError, connection
from django.http import HttpRequest
from ninja import Router, Schema
from redis.exceptions import RedisError

from agentsite.base.errors import Unavailable
from agentsite.heartbeat import heartbeat_key

_log = structlog.get_logger(__name__)
router = Router(tags=["health"], auth=None)


class LiveView(Schema):
    status: Literal["ok"]


class ReadyView(Schema):
    """`parts` names everything that was asked; all of it answered."""

    status: Literal["ready"]
    parts: dict[str, str]


def _ask_database() -> str:
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
    return ""


def _ask_valkey() -> str:
    cache.get("ready")
    return ""


def _ask_worker(name: str) -> Callable[[], str]:
    return lambda: "" if cache.get(heartbeat_key(name)) else "no worker has reported in the last seconds"


_PARTS: Final[dict[str, Callable[[], str]]] = {
    "database": _ask_database,
    "valkey": _ask_valkey,
    "agent": _ask_worker("agent"),
    "sandbox": _ask_worker(f"sandbox.{settings.NODE_NAME}"),
}


def _problem(name: str, ask: Callable[[], str]) -> str:
    try:
        return ask()
    except (DatabaseError, RedisError, OSError):
        _log.warning("part_not_ready", part=name, exc_info=True)
        return "does not answer"


@router.get("/live", response=LiveView, operation_id="get_live")
def get_live(request: HttpRequest) -> LiveView:
    return LiveView(status="ok")


@router.get("/ready", response=ReadyView, operation_id="get_ready")
def get_ready(request: HttpRequest) -> ReadyView:
    problems = {name: problem for name, ask in _PARTS.items() if (problem := _problem(name, ask))}
    if problems:
        raise Unavailable("Some parts of the site are not ready.", code="not_ready", fields=problems)
    return ReadyView(status="ready", parts=dict.fromkeys(_PARTS, "ok"))
