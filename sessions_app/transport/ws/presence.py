"""The part of a session's socket that tells who is there."""

import uuid
from typing import Any

import structlog
from channels.db import database_sync_to_async
from redis.exceptions import RedisError

from sessions_app.events.presence import Place, Windows, driver_of, leave, stay, watchers
from sessions_app.events.publish import session_group
from sessions_app.models import Session

logger = structlog.get_logger(__name__)


class Attendance:
    """Keeps one window's person there, and knows what its client was told of the others."""

    def __init__(self, session: Session, user: Any) -> None:
        self._session = session
        self._place = Place(session.pk, user.pk, uuid.uuid4().hex)
        self._told: tuple[Windows, uuid.UUID | None] | None = None

    async def news(self) -> dict[str, Any] | None:
        """A frame when others are there than the client knows. Presence is shown when it can be: while Valkey is away,
        nothing else of the socket stops."""
        try:
            frame: dict[str, Any] | None = await database_sync_to_async(self._look)()
        except RedisError as error:
            logger.warning("presence_unknown", error=repr(error))
            return None
        return frame

    async def arrive(self, layer: Any) -> None:
        """The others look at once instead of soon."""
        await layer.group_send(session_group(self._session.pk), {"type": "session.presence"})

    async def go(self, layer: Any) -> None:
        try:
            await database_sync_to_async(leave)(self._place)
            await layer.group_send(session_group(self._session.pk), {"type": "session.presence"})
        except (OSError, RedisError) as error:
            logger.warning("presence_not_told", error=repr(error))

    def _look(self) -> dict[str, Any] | None:
        now = (stay(self._place), driver_of(self._session.pk))
        if now == self._told:
            return None
        self._told = now
        people = [each.model_dump(mode="json") for each in watchers(self._session, *now)]
        return {"type": "presence", "people": people}
