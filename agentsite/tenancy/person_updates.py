"""Notify the open streams of a person when the person's rights may have changed, so that each stream checks the rights
again."""

import uuid
from collections.abc import Collection, Iterable
from typing import Any, Final

import structlog
from channels.layers import get_channel_layer
from django.db import transaction
from redis.exceptions import RedisError

from agentsite.base.background import background
from agentsite.tenancy.rights_changes import announce_rights_change

CHANGED: Final[dict[str, Any]] = {"type": "person.changed"}
"""The channel-layer message that makes a request which waits check the person's rights again."""
logger = structlog.get_logger(__name__)


def person_group(user_id: uuid.UUID) -> str:
    """Return the name of the channel-layer group to which all event streams of the person belong."""
    return f"person.{user_id.hex}"


def notify_person(user_id: uuid.UUID) -> None:
    """After the commit, make the person's streams check their access rights, and wait until all web servers know of the
    change."""
    notify_people([user_id])


def notify_people(user_ids: Iterable[uuid.UUID]) -> None:
    """Notify several people at once, as `notify_person` does."""
    groups = [person_group(user_id) for user_id in user_ids]
    transaction.on_commit(lambda: _notify(groups))


def _notify(groups: Collection[str]) -> None:
    for group in groups:
        background.start(_send(group))
    announce_rights_change(groups)


async def _send(group: str) -> None:
    try:
        await get_channel_layer().group_send(group, CHANGED)
    except (OSError, RedisError) as error:
        logger.warning("tell_person_failed", error=repr(error))
