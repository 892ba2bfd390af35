"""Presence on a session's socket: who has the session open."""

import uuid
from collections.abc import Sequence
from typing import Any

import structlog
from channels.db import database_sync_to_async
from redis.exceptions import RedisError

from agentsite.base.ids import from_public
from agentsite.tenancy.models import User
from sessions_app.events.presence import BrowserWindow, Windows, close_window, driver_of, report_window, watchers
from sessions_app.events.publish import session_group
from sessions_app.models import Session, Turn
from sessions_app.transport.session_stream import Frame

logger = structlog.get_logger(__name__)


class PresenceTracker:
    """Keeps one window's person listed as present, and remembers which presence its client was last sent."""

    def __init__(self, session: Session, user: User) -> None:
        self._session = session
        self._window = BrowserWindow(session.pk, user.pk, uuid.uuid4().hex)
        self._last_sent: tuple[Windows, uuid.UUID | None] | None = None
        self._turn = ""
        self._driver: uuid.UUID | None = None
        self._knows_driver = False

    async def changed_frame(self) -> dict[str, Any] | None:
        """Return a presence frame if it differs from the last one sent, otherwise None. If Valkey is not reachable,
        presence is skipped and the rest of the socket keeps working."""
        try:
            frame: dict[str, Any] | None = await database_sync_to_async(self._read_presence)()
        except RedisError as error:
            logger.warning("presence_unknown", error=repr(error))
            return None
        return frame

    def follow(self, frames: Sequence[Frame]) -> bool:
        """Learn from events who sent the last prompt of the open turn. Return whether that may have changed."""
        before = self._driver, self._knows_driver
        for frame in frames:
            data = frame["data"]
            if frame["event_type"] == "turn.updated":
                self._follow_turn(data["id"], is_open=data["state"] in Turn.OPEN)
            elif frame["event_type"] == "message.updated" and data["author"] is not None:
                self._driver, self._knows_driver = from_public(User.PREFIX, data["author"]["id"]), True
        return (self._driver, self._knows_driver) != before

    def _follow_turn(self, turn_id: str, *, is_open: bool) -> None:
        if not is_open:
            self._driver, self._knows_driver = None, True
        elif turn_id != self._turn:
            self._knows_driver = False
        self._turn = turn_id

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
        if not self._knows_driver:
            driver = driver_of(self._session.pk)
            if not self._knows_driver:  # otherwise an event has named somebody meanwhile
                self._driver, self._knows_driver = driver, True
        now = (report_window(self._window), self._driver)
        if now == self._last_sent:
            return None
        self._last_sent = now
        people = [each.model_dump(mode="json") for each in watchers(self._session, *now)]
        return {"type": "presence", "people": people}
