"""Publish events and deltas to connected clients. The channel layer may drop any of them; the event log is complete.

Publishing never blocks and never raises. A bounded queue feeds one coroutine, which preserves the order; if the queue
is full, messages are dropped and clients detect the gap.
"""

import asyncio
import uuid
from collections.abc import Mapping, Sequence
from typing import Any, Final

import structlog
from channels.layers import get_channel_layer
from redis.exceptions import RedisError

from agentsite.base.background import background
from agentsite.base.ids import to_public
from agentsite.tenancy.rights_changes import announce_rights_change
from sessions_app.audience import readers_of
from sessions_app.models import Session, SessionEvent

QUEUE_SIZE: Final = 10_000
NOTICES: Final = frozenset(
    {
        "permission.asked",
        "permission.updated",
        "permission.settled",
        "question.asked",
        "question.settled",
        "session.updated",
    }
)
logger = structlog.get_logger(__name__)


def session_group(session_id: uuid.UUID) -> str:
    return f"session.{session_id.hex}"


def project_group(project_id: uuid.UUID) -> str:
    return f"project.{project_id.hex}"


def notices_group(user_id: uuid.UUID) -> str:
    """Return the name of the channel group for messages to this person only."""
    return f"notices.{user_id.hex}"


class Publisher:
    """A queue of messages for the channel layer. One coroutine on the background loop sends them."""

    def __init__(self) -> None:
        self._queue: asyncio.Queue[tuple[str, dict[str, Any]]] | None = None
        self._loop: asyncio.AbstractEventLoop | None = None

    def send(self, group: str, message: dict[str, Any]) -> None:
        loop = background.loop
        loop.call_soon_threadsafe(self._enqueue, loop, group, message)

    def _enqueue(self, loop: asyncio.AbstractEventLoop, group: str, message: dict[str, Any]) -> None:
        if self._queue is None or self._loop is not loop:
            self._queue, self._loop = asyncio.Queue(QUEUE_SIZE), loop
            self._task = loop.create_task(self._feed(self._queue))
        try:
            self._queue.put_nowait((group, message))
        except asyncio.QueueFull:
            logger.warning("publish_queue_full", group=group)

    @staticmethod
    async def _feed(queue: asyncio.Queue[tuple[str, dict[str, Any]]]) -> None:
        layer = get_channel_layer()
        while True:
            group, message = await queue.get()
            try:
                await layer.group_send(group, message)
            except (OSError, RedisError) as error:  # the layer may be down or restarting; clients catch up from the log
                logger.warning("publish_failed", group=group, error=repr(error))
            except Exception as error:  # one message that fails must not stop all later ones
                logger.error("publish_failed", group=group, exc_info=error)


publisher = Publisher()


def publish_events(session_id: uuid.UUID, rows: Sequence[SessionEvent]) -> None:
    """Publish committed events to the session's clients, and the events in `NOTICES` also to the groups for notices."""
    frames = [{"seq": row.seq, "event_type": row.type, "data": row.data, "at": row.at.isoformat()} for row in rows]
    publisher.send(session_group(session_id), {"type": "session.events", "frames": frames})
    notices = [frame for frame in frames if frame["event_type"] in NOTICES]
    if notices:
        notice = _notice(session_id, notices)
        for group in _notice_groups(rows[0].session):
            publisher.send(group, notice)


def _notice_groups(session: Session) -> list[str]:
    """Return the channel groups that get notices about the session. Notices contain the session's title, so notices
    about a private session only go to the groups of its readers."""
    if session.is_private:
        return [notices_group(user_id) for user_id in readers_of(session).values_list("id", flat=True)]
    return [project_group(session.project_id)]


def publish_new_audience(session: Session, children: Sequence[uuid.UUID]) -> None:
    """Publish that a session's audience changed. Each open stream then checks the rights of its person before it sends
    anything more, and clients reload their lists of sessions."""
    announce_rights_change([*map(session_group, (session.pk, *children)), project_group(session.project_id)])
    items = [{"kind": "session.audience", "data": {}}]
    notice = {"type": "project.notices", "session_id": session.public_id, "items": items}
    publisher.send(project_group(session.project_id), notice)


def _notice(session_id: uuid.UUID, frames: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    items = [{"kind": frame["event_type"], "data": frame["data"]} for frame in frames]
    return {"type": "project.notices", "session_id": to_public("ses", session_id), "items": items}


def publish_links_changed(session_id: uuid.UUID) -> None:
    """Publish that a share link of the session was revoked. Each open stream of a share link then checks that its link
    is valid before it sends anything more."""
    announce_rights_change([session_group(session_id)])


def publish_delta(session_id: uuid.UUID, *, target: str, public_id: str, offset: int, text: str) -> None:
    """Publish text that was appended to a part or to a call's live output; `offset` is in code points."""
    delta = {"target": target, "id": public_id, "offset": offset, "text": text}
    publisher.send(session_group(session_id), {"type": "session.delta", "delta": delta})
