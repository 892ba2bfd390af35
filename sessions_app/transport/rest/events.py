"""REST: the event log as server-sent events."""

import json
import time
from collections.abc import AsyncIterator
from typing import Final

from asgiref.sync import sync_to_async
from channels.db import database_sync_to_async
from django.http import HttpRequest, StreamingHttpResponse
from ninja import Router

from agentsite.errors import BadInput
from agentsite.tenancy.authentication import current_token, current_user, is_still_signed_in
from agentsite.tenancy.live import CHANGED
from sessions_app.models import Session
from sessions_app.transport import follow
from sessions_app.transport.follow import Frame, LogCursor, TooFarBehind, listening
from sessions_app.transport.rest.sessions import find_session

LONGEST_SEQ: Final = 20  # digits

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
    stream = _stream(cursor, session, request)
    response = StreamingHttpResponse(stream, content_type="text/event-stream")
    response["Cache-Control"] = "no-cache"
    response["X-Accel-Buffering"] = "no"
    return response


def _start(request: HttpRequest, after: int | None) -> int:
    if after is not None:
        return after
    text = request.headers.get("Last-Event-ID", "0")
    if not text.isdecimal() or len(text) > LONGEST_SEQ:
        raise BadInput("Last-Event-ID must be the seq of an event.", fields={"Last-Event-ID": "not a number"})
    return int(text)


async def _stream(cursor: LogCursor, session: Session, request: HttpRequest) -> AsyncIterator[str]:
    """The rights are looked at every two seconds, however much there is to tell."""
    may_watch = database_sync_to_async(_may_still_watch, thread_sensitive=False)
    looked = time.monotonic()
    try:
        token = current_token(request)
        async with listening(session.id, person=current_user(request).pk, token=token) as next_message:
            for frame in await cursor.catch_up():
                yield _event(frame)
            while True:
                message = await next_message()
                if _must_look(message) or time.monotonic() - looked >= follow.LOOK_EVERY:
                    looked = time.monotonic()
                    if not await may_watch(request, session):
                        return
                frames = await _frames(cursor, message)
                for frame in frames:
                    yield _event(frame)
                if message is None:
                    yield ": still here\n\n"
    except TooFarBehind:
        yield "event: reset\ndata: {}\n\n"


def _must_look(message: dict[str, object] | None) -> bool:
    return message is None or message["type"] in ("session.audience", CHANGED["type"])


def _may_still_watch(request: HttpRequest, session: Session) -> bool:
    visible = Session.objects.visible_to(current_user(request)).filter(pk=session.pk)
    return is_still_signed_in(request) and visible.exists()


async def _frames(cursor: LogCursor, message: dict[str, object] | None) -> list[Frame]:
    if message is None:
        return await cursor.catch_up()
    if message["type"] == "session.events":
        return await cursor.take(message["frames"])  # type: ignore[arg-type]
    return []


def _event(frame: Frame) -> str:
    return f"id: {frame['seq']}\nevent: {frame['event_type']}\ndata: {json.dumps(frame['data'])}\n\n"
