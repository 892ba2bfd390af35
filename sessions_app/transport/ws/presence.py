"""Presence on a session's socket: who has the session open."""

import uuid
from typing import Any

import structlog
from channels.db import database_sync_to_async
from redis.exceptions import RedisError

from agentsite.tenancy.models import User
from sessions_app.events.presence import BrowserWindow, Windows, close_window, driver_of, report_window, watchers
from sessions_app.events.publish import session_group
from sessions_app.models import Session

logger = structlog.get_logger(__name__)


class PresenceTracker:
    """Keeps one window's person listed as present, and remembers which presence its client was last sent."""

    def __init__(self, session: Session, user: User) -> None:
        self._session = session
        self._window = BrowserWindow(session.pk, user.pk, uuid.uuid4().hex)
        self._last_sent: tuple[Windows, uuid.UUID | None] | None = None

    async def changed_frame(self) -> dict[str, Any] | None:
        """Return a presence frame if it differs from the last one sent, otherwise None. If Valkey is not reachable,
        presence is skipped and the rest of the socket keeps working."""
        try:
            frame: dict[str, Any] | None = await database_sync_to_async(self._read_presence)()
        except RedisError as error:
            logger.warning("presence_unknown", error=repr(error))
            return None
        return frame

    async def arrive(self, layer: Any) -> None:
        """Make the other sockets of the session check presence at once."""
        await layer.group_send(session_group(self._session.pk), {"type": "session.presence"})

    async def leave(self, layer: Any) -> None:
        try:
            await database_sync_to_async(close_window)(self._window)
            await layer.group_send(session_group(self._session.pk), {"type": "session.presence"})
        except (OSError, RedisError) as error:
            logger.warning("presence_not_told", error=repr(error))

    def _read_presence(self) -> dict[str, Any] | None:
        now = (report_window(self._window), driver_of(self._session.pk))
        if now == self._last_sent:
            return None
        self._last_sent = now
        people = [each.model_dump(mode="json") for each in watchers(self._session, *now)]
        return {"type": "presence", "people": people}
