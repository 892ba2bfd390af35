"""Somebody's rights have changed: whatever they hold open looks at once whether it may stay open.

The word goes over the channel layer, which may drop it. Every open connection looks by itself now and then, so a lost
word costs two seconds and no more.
"""

import uuid
from functools import partial
from typing import Any, Final

import structlog
from channels.layers import get_channel_layer
from django.db import transaction
from redis.exceptions import RedisError

from agentsite.background import background

RIGHTS_CHANGED: Final = "rights.changed"
logger = structlog.get_logger(__name__)


def person_group(user_id: uuid.UUID) -> str:
    """The channel-layer group of everything that a person holds open."""
    return f"person.{user_id.hex}"


def tell_rights_changed(*users: Any) -> None:
    """Once the caller's transaction is committed. Never waits and never fails its caller."""
    for user in users:
        transaction.on_commit(partial(_start, person_group(user.pk)))


def _start(group: str) -> None:
    background.start(_send(group))


async def _send(group: str) -> None:
    try:
        await get_channel_layer().group_send(group, {"type": RIGHTS_CHANGED})
    except (OSError, RedisError) as error:
        logger.warning("rights_word_lost", group=group, error=repr(error))
