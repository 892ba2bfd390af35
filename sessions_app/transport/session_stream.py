"""Follow a session's log: the events after a cursor and then new ones, in order and without gaps.

Live messages arrive over the channel layer, which may drop or repeat them. Therefore each event is compared with the
cursor: an event that was already sent is skipped, and a gap is filled from the log. The log is also read after some
silence.
"""

import asyncio
import json
import time
import uuid
from typing import Any, Final

from channels.db import database_sync_to_async

from agentsite.base.errors import Missing
from agentsite.base.prepared import PreparedQuery
from agentsite.tenancy.person_updates import person_group
from sessions_app.events.publish import session_group
from sessions_app.events.snapshot import read_events
from sessions_app.models import Session

POLL_INTERVAL: Final = 2.0  # seconds of silence after which the log is read

Frame = dict[str, Any]
TEXT_KEY: Final = "text of the frame"
SSE_KEY: Final = "text of the server-sent event"
KEPT_KEYS: Final = frozenset({TEXT_KEY, SSE_KEY})


def frame_text(frame: Frame, frame_type: str) -> str:
    """Return the JSON of a frame of this type, serialised once for all sockets of this process: all inboxes share one
    message object, so the text is cached in the frame itself."""
    found: str | None = frame.get(TEXT_KEY)
    if found is None:
        content = {name: value for name, value in frame.items() if name not in KEPT_KEYS}
        found = frame[TEXT_KEY] = json.dumps({"type": frame_type, **content})
    return found


def sse_text(frame: Frame) -> str:
    """Return the text of an event frame as a server-sent event, serialised once for all streams of this process."""
    found: str | None = frame.get(SSE_KEY)
    if found is None:
        data = json.dumps(frame["data"])
        found = frame[SSE_KEY] = f"id: {frame['seq']}\nevent: {frame['event_type']}\ndata: {data}\n\n"
    return found


class TooFarBehind(Exception):
    """The cursor is unknown or too old. The client has to start again from a snapshot."""


class LogCursor:
    """A client's position in a session's log. It determines, from arriving messages and the log, which events the
    client gets next."""

    def __init__(self, session_id: uuid.UUID, seq: int) -> None:
        self.session_id = session_id
        self.seq = seq

    async def take(self, frames: list[Frame]) -> list[Frame]:
        """Return the event frames that are new to the client. If an event is missing between the cursor and `frames`,
        return all events after the cursor from the log."""
        fresh = [frame for frame in frames if frame["seq"] > self.seq]
        if not fresh:
            return []
        if fresh[0]["seq"] == self.seq + 1:
            self.seq = fresh[-1]["seq"]
            return fresh
        return await self.catch_up(at_least=fresh[-1]["seq"])

    async def catch_up(self, *, at_least: int | None = None) -> list[Frame]:
        """Return the events after the cursor from the log, and move the cursor. With `at_least`, clients of this
        process share one read, which may have begun before this call but includes the event with the number `at_least`.
        Raises TooFarBehind."""
        frames = await log_reads.after(self.session_id, self.seq, at_least=at_least)
        if frames:
            self.seq = frames[-1]["seq"]
        return frames

    async def poll(self) -> list[Frame]:
        """Return the new events in the log, from reads that clients of this process share. Raises TooFarBehind, and
        Missing if the session was deleted."""
        newest = await newest_events.seq(self.session_id, lifetime=POLL_INTERVAL / 2)
        if newest is None:
            raise Missing("This session no longer exists.")
        return [] if newest == self.seq else await self.catch_up(at_least=newest)


class LogReads:
    """The running queries of event logs in this process, by session and cursor. Clients that miss the same events share
    one query."""

    def __init__(self) -> None:
        self._reads: dict[tuple[uuid.UUID, int], asyncio.Task[list[Frame]]] = {}

    async def after(self, session_id: uuid.UUID, seq: int, *, at_least: int | None) -> list[Frame]:
        """Return the session's events after `seq`, from a read that several clients may share. Raises TooFarBehind."""
        if at_least is None:
            return await _read_frames(session_id, seq)
        frames = await self._shared(session_id, seq)
        if not frames or frames[-1]["seq"] < at_least:  # that read began before the event was stored
            frames = await _read_frames(session_id, seq)
        return frames

    async def _shared(self, session_id: uuid.UUID, seq: int) -> list[Frame]:
        key = session_id, seq
        read = self._reads.get(key)
        if read is None or read.get_loop() is not asyncio.get_running_loop():
            read = self._reads[key] = asyncio.ensure_future(_read_frames(session_id, seq))
            read.add_done_callback(lambda done: self._reads.pop(key, None) if self._reads.get(key) is done else None)
        return await asyncio.shield(read)


async def _read_frames(session_id: uuid.UUID, seq: int) -> list[Frame]:
    rows = await database_sync_to_async(read_events, thread_sensitive=False)(session_id, after=seq)
    if rows is None:
        raise TooFarBehind
    return [{"seq": row.seq, "event_type": row.type, "data": row.data, "at": row.at.isoformat()} for row in rows]


log_reads: Final = LogReads()


class NewestEvents:
    """The numbers of sessions' newest events, cached for `lifetime` seconds and shared by all sockets of this
    process."""

    def __init__(self) -> None:
        self._reads: dict[uuid.UUID, tuple[float, asyncio.Task[int | None]]] = {}

    async def seq(self, session_id: uuid.UUID, *, lifetime: float) -> int | None:
        """Return the number of the session's newest event, or None if the session was deleted."""
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
    """Return the channel-layer groups of a session's stream: the session's group and, for a signed-in user, the user's
    own group, which announces changes of the user's rights."""
    return [session_group(session_id), *([] if person is None else [person_group(person)])]
