"""Tell the open sockets of a person that something about them changed: they look whether they are still welcome."""

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
    """The channel-layer group that every socket of the person is in."""
    return f"person.{user_id.hex}"


def tell_person(user_id: uuid.UUID) -> None:
    """After the commit. The layer may drop it: sockets look by themselves every two seconds."""
    transaction.on_commit(lambda: background.start(_send(person_group(user_id))))


async def _send(group: str) -> None:
    try:
        await get_channel_layer().group_send(group, CHANGED)
    except (OSError, RedisError) as error:
        logger.warning("tell_person_failed", error=repr(error))
