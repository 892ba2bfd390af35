"""Receive announcements of changed rights, note the changes in this process, and confirm the announcements."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Collection
from contextlib import aclosing
from typing import Any, Final

import structlog
from django.conf import settings
from redis.asyncio import Redis
from redis.exceptions import RedisError

from agentsite.tenancy.rights_changes import CHANNEL, REPLY_LIFETIME, read_announcement
from sessions_app.transport.shared_tasks import end_task, start_shared

PING_INTERVAL: Final = 10.0  # seconds of silence after which the connection is tested
RETRY_DELAY: Final = 1.0  # seconds

Note = Callable[[Collection[str] | None], None]
logger = structlog.get_logger(__name__)


class RightsListener:
    """A listener for announced changes of access rights. It calls `note` with the channel groups of each announcement,
    and with None if it may have missed announcements."""

    def __init__(self, note: Note) -> None:
        self._note = note
        self._attempted = asyncio.Event()
        self._task = start_shared(self._listen())

    async def attempted(self) -> None:
        """Wait until the listener receives announcements, or its first attempt to subscribe has failed."""
        await self._attempted.wait()

    async def stop(self) -> None:
        await end_task(self._task)

    async def _listen(self) -> None:
        while True:
            try:
                async with Redis.from_url(settings.REDIS_URL) as client:
                    await self._hear(client)
            except (OSError, RedisError) as error:  # Valkey may be restarting
                logger.warning("rights_changes_unheard", error=repr(error))
            except Exception as error:  # one announcement that fails must not stop all later ones
                logger.error("rights_changes_unheard", exc_info=error)
            self._attempted.set()
            self._note(None)
            await asyncio.sleep(RETRY_DELAY)

    async def _hear(self, client: Any) -> None:
        async with client.pubsub() as subscription, aclosing(_announcements(subscription)) as announcements:
            async for text in announcements:
                if text is None:
                    if self._attempted.is_set():  # announcements in between were missed
                        self._note(None)
                    self._attempted.set()
                    continue
                groups, reply_to = read_announcement(text)
                self._note(groups)
                async with client.pipeline() as pipeline:
                    await pipeline.rpush(reply_to, "noted").expire(reply_to, REPLY_LIFETIME).execute()


async def _announcements(subscription: Any) -> AsyncGenerator[bytes | None, None]:
    """Yield None when the subscription has begun, then each announcement. Raises OSError or RedisError, also if the
    connection no longer answers."""
    await subscription.subscribe(CHANNEL)
    is_tested = False
    while True:
        message = await subscription.get_message(timeout=PING_INTERVAL)
        if message is None:
            if is_tested:
                raise ConnectionError("Valkey does not answer.")
            await subscription.ping()
        is_tested = message is None
        if message is not None and message["type"] == "subscribe":
            yield None
        elif message is not None and message["type"] == "message":
            yield message["data"]
