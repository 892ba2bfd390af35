"""REST: the event log as server-sent events."""

import json
from collections.abc import AsyncIterator

from asgiref.sync import sync_to_async
from channels.db import database_sync_to_async
from django.http import HttpRequest, StreamingHttpResponse
from ninja import Router

from agentsite.errors import BadInput
from agentsite.tenancy.authentication import current_user
from sessions_app.models import Session
from sessions_app.transport.follow import Frame, LogCursor, TooFarBehind, listening
from sessions_app.transport.rest.sessions import find_session

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
    """Server-sent events: every event after the cursor (`?after=`, or the header Last-Event-ID), then live ones.

    Each has its seq as `id`, its type as `event`, its view as `data`. A comment line every two seconds of silence
    keeps the connection. `event: reset` means that the cursor is too old: load the snapshot and start from its seq.
    """
    session = await sync_to_async(find_session)(request, session_id)
    cursor = LogCursor(session.id, _start(request, after))
    stream = _stream(cursor, session, current_user(request))
    response = StreamingHttpResponse(stream, content_type="text/event-stream")
    response["Cache-Control"] = "no-cache"
    response["X-Accel-Buffering"] = "no"
    return response


def _start(request: HttpRequest, after: int | None) -> int:
    if after is not None:
        return after
    text = request.headers.get("Last-Event-ID", "0")
    if not text.isdecimal():
        raise BadInput("Last-Event-ID must be the seq of an event.", fields={"Last-Event-ID": "not a number"})
    return int(text)


async def _stream(cursor: LogCursor, session: Session, user: object) -> AsyncIterator[str]:
    visible = Session.objects.visible_to(user).filter(pk=session.pk)
    still_visible = database_sync_to_async(visible.exists, thread_sensitive=False)
    try:
        async with listening(session.id) as next_message:
            for frame in await cursor.catch_up():
                yield _event(frame)
            while True:
                message = await next_message()
                frames = await _frames(cursor, message)
                for frame in frames:
                    yield _event(frame)
                if message is None:
                    if not await still_visible():
                        return
                    yield ": still here\n\n"
    except TooFarBehind:
        yield "event: reset\ndata: {}\n\n"


async def _frames(cursor: LogCursor, message: dict[str, object] | None) -> list[Frame]:
    if message is None:
        return await cursor.catch_up()
    if message["type"] == "session.events":
        return await cursor.take(message["frames"])  # type: ignore[arg-type]
    return []


def _event(frame: Frame) -> str:
    return f"id: {frame['seq']}\nevent: {frame['event_type']}\ndata: {json.dumps(frame['data'])}\n\n"
