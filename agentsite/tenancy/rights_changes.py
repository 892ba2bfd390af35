"""Announce changes of rights to all web servers, and wait until each of them has noted the change.

A web server sends events to a client without reading the client's rights for each event. Therefore a request that
changes rights waits, after the commit and before the answer, until every web server knows which of its streams have to
check rights again. These streams neither send nor accept anything before the check.

Announcements are sent with Valkey's PUBLISH, which returns the number of servers that receive the announcement. Each of
these servers confirms it. Without Valkey, streams of other servers notice a change at their next regular check.
"""

import json
import time
import uuid
from collections.abc import Collection, Iterable
from functools import cache
from typing import Any, Final

import redis
import structlog
from django.conf import settings

CHANNEL: Final = "agentsite.rights"
CONFIRM_TIMEOUT: Final = 2.0  # seconds; a server that is stopped or stuck does not hold up a change for longer
REPLY_LIFETIME: Final = 60  # seconds

logger = structlog.get_logger(__name__)


def announce_rights_change(groups: Iterable[str]) -> None:
    """Make the streams that follow one of these channel-layer groups check their rights before they send anything more.

    Returns when all web servers have noted the change, or after CONFIRM_TIMEOUT. Call it after the commit; it never
    raises.
    """
    reply_to = f"{CHANNEL}.{uuid.uuid4().hex}"
    announcement = json.dumps({"groups": sorted(set(groups)), "reply_to": reply_to})
    try:
        servers = int(_valkey().publish(CHANNEL, announcement))
        confirmed = _count_replies(reply_to, servers)
    except (OSError, redis.RedisError) as error:
        logger.warning("rights_change_not_announced", error=repr(error))
        return
    if confirmed < servers:
        logger.warning("rights_change_not_confirmed", servers=servers, confirmed=confirmed)


def read_announcement(text: bytes | str) -> tuple[Collection[str], str]:
    """Return the channel-layer groups in an announcement, and the name of the Valkey list on which to confirm it."""
    found: dict[str, Any] = json.loads(text)
    return found["groups"], found["reply_to"]


def _count_replies(reply_to: str, servers: int) -> int:
    until = time.monotonic() + CONFIRM_TIMEOUT
    for count in range(servers):
        left = until - time.monotonic()
        if left <= 0 or _valkey().blpop([reply_to], timeout=left) is None:
            return count
    return servers


@cache
def _valkey() -> Any:
    return redis.Redis.from_url(settings.REDIS_URL, socket_timeout=CONFIRM_TIMEOUT + 1)
