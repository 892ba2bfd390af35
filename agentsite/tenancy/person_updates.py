"""Notify the open WebSockets of a person when their rights may have changed, so that they check them again."""

import uuid
from typing import Any, Final

import structlog
from channels.layers import get_channel_layer
from django.db import transaction
from redis.exceptions import RedisError

from agentsite.base.background import background

CHANGED: Final[dict[str, Any]] = {"type": "person.changed"}
logger = structlog.get_logger(__name__)


def person_group(user_id: uuid.UUID) -> str:
    """Return the name of the channel-layer group with all sockets of the person."""
    return f"person.{user_id.hex}"


def notify_person(user_id: uuid.UUID) -> None:
    """Notify the person's sockets after the commit. Messages may get lost: sockets also check every 2 s."""
    transaction.on_commit(lambda: background.start(_send(person_group(user_id))))


async def _send(group: str) -> None:
    try:
        await get_channel_layer().group_send(group, CHANGED)
    except (OSError, RedisError) as error:
        logger.warning("tell_person_failed", error=repr(error))
