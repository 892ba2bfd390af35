"""The presence of a session on its WebSockets, read and serialised once for all sockets of this process."""

import asyncio
import json
import time
import uuid
from collections.abc import Sequence
from typing import Final
from weakref import WeakKeyDictionary

import structlog
from channels.db import database_sync_to_async
from channels.layers import get_channel_layer

from agentsite.base.ids import from_public
from agentsite.tenancy.models import User
from sessions_app.events.presence import (
    Member,
    Windows,
    driver_of,
    find_members,
    list_watchers,
    new_window,
    report_windows,
)
from sessions_app.events.publish import session_group
from sessions_app.models import Session, Turn
from sessions_app.transport.inboxes import Inbox, Message
from sessions_app.transport.session_stream import Frame
from sessions_app.transport.shared_tasks import start_shared
from sessions_app.transport.ws import base

COLLECT_SECONDS: Final = 0.3  # least time between two reads; the changes in between are shown together

logger = structlog.get_logger(__name__)


class Window:
    """The browser window at the other end of a socket. `shown` is the presence frame that was last sent to it."""

    def __init__(self, user_id: uuid.UUID, inbox: Inbox) -> None:
        self.name = new_window(user_id)
        self.inbox = inbox
        self.shown = ""


class SharedPresence:
    """The presence of a session's windows in this process. Each window gets it as `presence.frame` when it changes.

    The message `session.presence` tells other processes when a window opens or closes in this process.
    """

    def __init__(self, session: Session) -> None:
        self._session = session
        self._driver = _Driver(session.pk)
        self._inbox = Inbox()
        self._windows: set[Window] = set()
        self._closed: list[str] = []
        self._members: dict[uuid.UUID, Member | None] = {}
        self._is_members_stale = False
        self._is_news = False
        self._id = uuid.uuid4().hex
        self._task: asyncio.Task[None] | None = None

    def open(self, window: Window) -> None:
        self._windows.add(window)
        self._note_change()
        if self._task is None or self._task.done():
            self._task = start_shared(self._follow())

    async def close(self, window: Window) -> None:
        """Report the window as closed. If it was the last open window in this process, wait until the report is
        stored."""
        self._windows.discard(window)
        self._closed.append(window.name)
        self._note_change()
        if not self._windows and self._task is not None:
            await asyncio.shield(self._task)

    def forget_members(self) -> None:
        """Make all processes read the names and rights of the people who have the session open from the database
        again."""
        self._is_members_stale = True
        self._note_change()

    def _note_change(self) -> None:
        self._is_news = True
        self._inbox.put({"type": "session.presence"})

    async def _follow(self) -> None:
        await self._inbox.follow(session_group(self._session.pk))
        while True:
            began, is_last = time.monotonic(), not self._windows
            await self._refresh()
            if is_last and not self._windows:
                break
            await self._wait_for_change(began)
        _presences().pop(self._session.pk)
        await self._inbox.close()

    async def _wait_for_change(self, began: float) -> None:
        """Wait until presence may have changed or the windows have to be reported again. A change ends the wait only
        `COLLECT_SECONDS` after `began`, so that several changes are reported together. Return at once if no window is
        left."""
        until, changed = began + base.CHECK_INTERVAL, False
        while self._windows and (left := until - time.monotonic()) > 0:
            try:
                async with asyncio.timeout(left):
                    message = await self._inbox.next()
            except TimeoutError:
                return
            changed = self._may_change(message) or changed
            until = began + (COLLECT_SECONDS if changed else base.CHECK_INTERVAL)

    def _may_change(self, message: Message) -> bool:
        match message["type"]:
            case "session.events":
                return self._driver.follow(message["frames"])
            case "session.presence":
                is_of_others = message.get("by") not in (None, self._id)
                self._is_members_stale = self._is_members_stale or is_of_others
                return message.get("by") != self._id
        return False

    async def _refresh(self) -> None:
        """Report the open windows, and send everybody the current presence. If reading it fails, no presence is sent
        until the next refresh, and the other functions of the sockets keep working."""
        windows, closed, is_news = list(self._windows), self._closed, self._is_news
        self._closed, self._is_news = [], False
        try:
            text = await database_sync_to_async(self._read, thread_sensitive=False)(windows, closed)
            if is_news:
                message = {"type": "session.presence", "by": self._id}
                await get_channel_layer().group_send(session_group(self._session.pk), message)
        except Exception as error:  # without Valkey or the database, or for a reason that nobody thought of
            self._closed, self._is_news = closed + self._closed, True
            logger.warning("presence_unknown", exc_info=error)
            return
        for window in windows:
            if window.shown != text:
                window.inbox.put({"type": "presence.frame", "text": text})

    def _read(self, windows: Sequence[Window], closed: Sequence[str]) -> str:
        """Report the open windows, and return the presence frame. The database is read only if a person appears whose
        rights are not loaded, or if the author of the last prompt is not known."""
        present = report_windows(self._session.pk, opened=[each.name for each in windows], closed=closed)
        if not windows:
            return ""
        members = self._members_of(present)
        watchers = list_watchers(present, members, self._driver.find())
        return json.dumps({"type": "presence", "people": [each.model_dump(mode="json") for each in watchers]})

    def _members_of(self, present: Windows) -> dict[uuid.UUID, Member | None]:
        kept = {} if self._is_members_stale else self._members
        self._is_members_stale = False
        known = {user_id: kept[user_id] for user_id in present if user_id in kept}
        unknown = present.keys() - known.keys()
        found = find_members(self._session.project.team_id, unknown) if unknown else {}
        self._members = known | {user_id: found.get(user_id) for user_id in unknown}
        return self._members


class _Driver:
    """The person who sent the last prompt of the session's open turn, taken from the session's events, or read from the
    database if no event has named the person yet."""

    def __init__(self, session_id: uuid.UUID) -> None:
        self._session_id = session_id
        self._turn = ""
        self._driver: uuid.UUID | None = None
        self._is_known = False

    def find(self) -> uuid.UUID | None:
        if not self._is_known:
            self._driver, self._is_known = driver_of(self._session_id), True
        return self._driver

    def follow(self, frames: Sequence[Frame]) -> bool:
        """Update the driver from new events of the session. Returns whether the driver changed, or may have changed."""
        before = self._driver, self._is_known
        for frame in frames:
            data = frame["data"]
            if frame["event_type"] == "turn.updated":
                self._follow_turn(data["id"], is_open=data["state"] in Turn.OPEN)
            elif frame["event_type"] == "message.updated" and data["author"] is not None:
                self._driver, self._is_known = from_public(User.PREFIX, data["author"]["id"]), True
        return (self._driver, self._is_known) != before

    def _follow_turn(self, turn_id: str, *, is_open: bool) -> None:
        if not is_open:
            self._driver, self._is_known = None, True
        elif turn_id != self._turn:
            self._is_known = False
        self._turn = turn_id


_of_loops: Final[WeakKeyDictionary[asyncio.AbstractEventLoop, dict[uuid.UUID, SharedPresence]]] = WeakKeyDictionary()


def _presences() -> dict[uuid.UUID, SharedPresence]:
    return _of_loops.setdefault(asyncio.get_running_loop(), {})


def presence_of(session: Session) -> SharedPresence:
    """Return the presence that all sockets of the session share in this event loop. Reads `session.project`."""
    return _presences().setdefault(session.pk, SharedPresence(session))
