"""REST endpoint: the event log of one session as server-sent events."""

from collections.abc import AsyncIterator, Awaitable, Sequence
from contextlib import suppress
from functools import partial
from typing import Final

from asgiref.sync import sync_to_async
from channels.db import database_sync_to_async
from django.http import HttpRequest, StreamingHttpResponse
from ninja import Router

from agentsite.base.errors import BadInput, Missing
from agentsite.tenancy.access import can
from agentsite.tenancy.authentication import current_token, current_user, is_still_signed_in, seconds_left
from agentsite.tenancy.roles import Act
from sessions_app.events.schema import SnapshotView
from sessions_app.events.snapshot import read_snapshot
from sessions_app.models import Session
from sessions_app.queries.sessions import find_session
from sessions_app.transport.follow import following
from sessions_app.transport.inboxes import Message
from sessions_app.transport.session_stream import Frame, LogCursor, TooFarBehind, groups_of, sse_text

MAX_SEQ_DIGITS: Final = 20  # digits
HELLO: Final = ": hello\nretry: 2000\n\n"
"""The first text of an event stream. `retry` is how many milliseconds a browser waits before it reconnects."""
KEEP_ALIVE: Final = ": still here\n\n"

router = Router(tags=["events"])


@router.get(
    "/sessions/{session_id}/events",
    operation_id="stream_events",
    response={200: None},
    openapi_extra={
        "responses": {200: {"content": {"text/event-stream": {"schema": {"type": "string"}}}}},
        "parameters": [
            {"in": "header", "name": "Last-Event-ID", "schema": {"type": "integer"}, "required": False},
        ],
    },
)
async def stream_events(request: HttpRequest, session_id: str, after: int | None = None) -> StreamingHttpResponse:
    """Stream the events of a session: all events after the cursor (`?after=`, or the header Last-Event-ID), then new
    ones as they happen.

    Each event has its seq as `id`, its type as `event` and its view as `data`. After two seconds of silence a comment
    line keeps the connection open. If the cursor is unknown or too old, `event: snapshot` comes first: its data is the
    whole session, and the stream continues from its `id`.
    """
    session = await sync_to_async(find_session)(request, session_id)
    cursor = LogCursor(session.id, _start(request, after))
    stream = _stream(cursor, session, request)
    response = StreamingHttpResponse(stream, content_type="text/event-stream")
    response["Cache-Control"] = "no-store"
    response["X-Accel-Buffering"] = "no"
    return response


def _start(request: HttpRequest, after: int | None) -> int:
    return after if after is not None else last_event_id(request) or 0


def last_event_id(request: HttpRequest) -> int | None:
    """Parse the header Last-Event-ID that a browser sends when it reconnects. Raises BadInput if it is not a number."""
    text = request.headers.get("Last-Event-ID")
    if text is None:
        return None
    if not text.isdecimal() or len(text) > MAX_SEQ_DIGITS:
        raise BadInput("Last-Event-ID must be the seq of an event.", fields={"Last-Event-ID": "not a number"})
    return int(text)


async def _stream(cursor: LogCursor, session: Session, request: HttpRequest) -> AsyncIterator[str]:
    """Yield the events of a session as texts of server-sent events, until the client may no longer see the session."""
    groups = groups_of(session.id, person=current_user(request).pk)
    is_allowed, left = partial(_may_watch, request, session), partial(seconds_left, current_token(request))
    with suppress(Missing):  # the session was deleted
        async with following(groups, is_allowed=is_allowed, seconds_left=left) as followed:
            yield HELLO  # sent after joining the groups, so no change is missed after the client has read this
            for text in await _texts(request, session, cursor, cursor.catch_up()):
                if await followed.may_send():
                    yield text
            async for message in followed.messages():
                for text in await _texts(request, session, cursor, _news(cursor, message)):
                    if not await followed.may_send():
                        return
                    yield text
                if message is None:
                    yield KEEP_ALIVE


async def _texts(
    request: HttpRequest, session: Session, cursor: LogCursor, news: Awaitable[Sequence[Frame]]
) -> Sequence[str]:
    """Return the events after the cursor, or a snapshot if the cursor is too old, as texts of server-sent events."""
    try:
        return [sse_text(frame) for frame in await news]
    except TooFarBehind:
        snapshot = await database_sync_to_async(_snapshot, thread_sensitive=False)(request, session)
        cursor.seq = snapshot.seq
        return [f"id: {snapshot.seq}\nevent: snapshot\ndata: {snapshot.model_dump_json()}\n\n"]


async def _news(cursor: LogCursor, message: Message | None) -> Sequence[Frame]:
    if message is None:
        return await cursor.poll()
    return await cursor.take(message["frames"]) if message["type"] == "session.events" else ()


def _snapshot(request: HttpRequest, session: Session) -> SnapshotView:
    return read_snapshot(session.id, can_act=can(current_user(request), Act.PROMPT, team_id=session.project.team_id))


def _may_watch(request: HttpRequest, session: Session) -> bool:
    visible = Session.objects.visible_to(current_user(request)).filter(pk=session.pk)
    return is_still_signed_in(request) and visible.exists()
