"""Follow a session's log: the events after a cursor and then new ones, in order and without gaps.

Live messages arrive over the channel layer, which may drop or repeat them. So each event is checked against the cursor:
an old one is skipped, a gap is filled from the log, and the log is also read after some silence.
"""

import asyncio
import json
import time
import uuid
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any, Final

from channels.db import database_sync_to_async

from agentsite.base.prepared import PreparedQuery
from agentsite.tenancy.authentication import seconds_left
from agentsite.tenancy.models import ApiToken
from agentsite.tenancy.person_updates import person_group
from sessions_app.events.publish import session_group
from sessions_app.events.snapshot import read_events
from sessions_app.models import Session
from sessions_app.transport.inboxes import Inbox

POLL_INTERVAL: Final = 2.0  # seconds of silence after which the log is asked

Frame = dict[str, Any]
TEXT_KEY: Final = "text of the frame"


def frame_text(frame: Frame, frame_type: str) -> str:
    """Return the JSON of a frame of this type, serialised once for all sockets of this process: the channel layer hands
    one message object to all local consumers, so the text is kept in the frame itself."""
    found: str | None = frame.get(TEXT_KEY)
    if found is None:
        found = frame[TEXT_KEY] = json.dumps({"type": frame_type, **frame})
    return found


class TooFarBehind(Exception):
    """The cursor is unknown or too old. The client has to start again from a snapshot."""


class LogCursor:
    """A client's position in a session's log. It turns arriving messages into the events that come next."""

    def __init__(self, session_id: uuid.UUID, seq: int) -> None:
        self.session_id = session_id
        self.seq = seq

    async def take(self, frames: list[Frame]) -> list[Frame]:
        """Return the new ones of these event frames. If there is a gap, return everything after the cursor from the
        log."""
        fresh = [frame for frame in frames if frame["seq"] > self.seq]
        if not fresh:
            return []
        if fresh[0]["seq"] != self.seq + 1:
            return await self.catch_up()
        self.seq = fresh[-1]["seq"]
        return fresh

    async def catch_up(self) -> list[Frame]:
        """Return everything after the cursor from the log. Raises TooFarBehind."""
        rows = await database_sync_to_async(read_events, thread_sensitive=False)(self.session_id, after=self.seq)
        if rows is None:
            raise TooFarBehind
        if rows:
            self.seq = rows[-1].seq
        return [{"seq": row.seq, "event_type": row.type, "data": row.data, "at": row.at.isoformat()} for row in rows]


class NewestEvents:
    """The `last_seq` of sessions, read at most once in `lifetime` seconds for all sockets of this process."""

    def __init__(self) -> None:
        self._reads: dict[uuid.UUID, tuple[float, asyncio.Task[int | None]]] = {}

    async def seq(self, session_id: uuid.UUID, *, lifetime: float) -> int | None:
        """Return the number of the newest event, or None if the session was deleted."""
        now = time.monotonic()
        began, read = self._reads.get(session_id, (0.0, None))
        if read is None or now - began > lifetime or read.get_loop() is not asyncio.get_running_loop():
            self._reads = {key: value for key, value in self._reads.items() if now - value[0] <= lifetime}
            read = asyncio.ensure_future(database_sync_to_async(_last_seq, thread_sensitive=False)(session_id))
            self._reads[session_id] = now, read
        return await asyncio.shield(read)


def _last_seq(session_id: uuid.UUID) -> int | None:
    found = _last_seqs.tuples(session=session_id)
    return found[0][0] if found else None


_last_seqs: Final[PreparedQuery[Session]] = PreparedQuery(
    lambda session: Session.objects.filter(pk=session).order_by().values_list("last_seq")
)
newest_events: Final = NewestEvents()


def groups_of(session_id: uuid.UUID, *, person: uuid.UUID | None) -> list[str]:
    """Return the channel-layer groups of a session's stream. A signed-in user's own group is one of them, since their
    rights may change meanwhile."""
    return [session_group(session_id), *([] if person is None else [person_group(person)])]


@asynccontextmanager
async def listening(groups: Sequence[str], *, token: ApiToken | None = None) -> AsyncIterator[Any]:
    """Yield a coroutine function that returns the next message of the channel-layer groups, or None after some
    silence. Waiting ends with None at the latest when the `token` expires."""
    inbox = Inbox()

    async def next_message() -> Any:
        try:
            async with asyncio.timeout(min(POLL_INTERVAL, seconds_left(token))):
                return await inbox.next()
        except TimeoutError:
            return None

    try:
        for group in groups:
            await inbox.follow(group)
        yield next_message
    finally:
        await inbox.close()
