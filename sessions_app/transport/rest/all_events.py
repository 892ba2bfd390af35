"""REST endpoint: the events of all sessions that a person can see, as server-sent events."""

import json
import uuid
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any

from asgiref.sync import sync_to_async
from channels.db import database_sync_to_async
from django.http import HttpRequest, StreamingHttpResponse
from ninja import Query, Router

from agentsite.tenancy.authentication import current_token, current_user, is_still_signed_in, seconds_left
from agentsite.tenancy.models import Project
from agentsite.tenancy.person_updates import person_group
from sessions_app.events.publish import project_group
from sessions_app.models import Session, SessionEvent
from sessions_app.transport.follow import Following, following
from sessions_app.transport.person_stream import NewsCursor
from sessions_app.transport.rest.events import HELLO, KEEP_ALIVE, last_event_id
from sessions_app.transport.session_stream import TooFarBehind

After = Annotated[
    int | None, Query(description="The `id` of the last event that you received. Without it, only new events are sent.")
]

router = Router(tags=["events"])


@dataclass(frozen=True, slots=True)
class _Text:
    """A server-sent event as text, about the session `session_id`; `session_id` is None for a reset."""

    session_id: uuid.UUID | None
    text: str


_Read = tuple[NewsCursor, Sequence[_Text]]


@router.get(
    "/events",
    operation_id="stream_all_events",
    response={200: None},
    openapi_extra={
        "responses": {200: {"content": {"text/event-stream": {"schema": {"type": "string"}}}}},
        "parameters": [{"in": "header", "name": "Last-Event-ID", "schema": {"type": "integer"}, "required": False}],
    },
)
async def stream_all_events(
    request: HttpRequest, project: str | None = None, after: After = None
) -> StreamingHttpResponse:
    """Stream events of sessions, turns, workspaces, permission requests and questions: all that you can see, or those
    of one project. Each is a server-sent event with `{session_id, seq, at, data}`.

    Events of the last seconds may be repeated after a reconnect. `event: reset` means that the cursor is unknown or too
    old: load the lists again; the stream continues from its `id`.
    """
    project_id = await sync_to_async(_project)(request, project)
    if after is None:
        after = last_event_id(request)
    stream = _stream(request, project_id, after)
    response = StreamingHttpResponse(stream, content_type="text/event-stream")
    response["Cache-Control"] = "no-store"
    response["X-Accel-Buffering"] = "no"
    return response


def _project(request: HttpRequest, public_id: str | None) -> uuid.UUID | None:
    if public_id is None:
        return None
    row = Project.objects.visible_to(current_user(request)).by_public_id(public_id)
    return row.pk


async def _stream(request: HttpRequest, project_id: uuid.UUID | None, after: int | None) -> AsyncIterator[str]:
    yield HELLO
    groups = await _groups(request, project_id)
    left = partial(seconds_left, current_token(request))
    async with following(groups, is_allowed=partial(is_still_signed_in, request), seconds_left=left) as followed:
        read: Callable[[], _Read] = partial(_start, request, project_id, after)
        while await followed.may_send():
            cursor, news = await _read_permitted(request, followed, read)
            for each in news:
                yield each.text
            if await followed.next() is None:
                yield KEEP_ALIVE
            read = partial(_read, request, project_id, cursor)


async def _read_permitted(request: HttpRequest, followed: Following, read: Callable[[], _Read]) -> _Read:
    """Run `read` and return its result. If the person's rights changed meanwhile, rows that the person may no longer
    see are left out."""
    changes = followed.changes
    cursor, news = await _in_thread(read)
    while followed.changes != changes:
        changes = followed.changes
        news = await _in_thread(_visible, request, news) if await followed.may_send() else []
    return cursor, news


def _visible(request: HttpRequest, news: Sequence[_Text]) -> Sequence[_Text]:
    rows = Session.objects.visible_to(current_user(request)).filter(pk__in={each.session_id for each in news})
    visible = set(rows.values_list("pk", flat=True))
    return [each for each in news if each.session_id in visible or each.session_id is None]


def _start(request: HttpRequest, project_id: uuid.UUID | None, after: int | None) -> _Read:
    try:
        return _read(request, project_id, NewsCursor(current_user(request), project_id=project_id, after=after))
    except TooFarBehind:
        return _restart(request, project_id)


def _read(request: HttpRequest, project_id: uuid.UUID | None, cursor: NewsCursor) -> _Read:
    try:
        return cursor, [_event(row) for row in cursor.read()]
    except TooFarBehind:
        return _restart(request, project_id)


def _restart(request: HttpRequest, project_id: uuid.UUID | None) -> _Read:
    cursor = NewsCursor(current_user(request), project_id=project_id, after=None)
    return cursor, [_Text(None, f"id: {cursor.last}\nevent: reset\ndata: {{}}\n\n")]


def _event(row: SessionEvent) -> _Text:
    body = {"session_id": row.session.public_id, "seq": row.seq, "at": row.at.isoformat(), "data": row.data}
    return _Text(row.session_id, f"id: {row.pk}\nevent: {row.type}\ndata: {json.dumps(body)}\n\n")


async def _groups(request: HttpRequest, project_id: uuid.UUID | None) -> list[str]:
    projects = await _in_thread(_projects, request) if project_id is None else [project_id]
    return [person_group(current_user(request).pk), *map(project_group, projects)]


def _projects(request: HttpRequest) -> list[uuid.UUID]:
    return list(Project.objects.visible_to(current_user(request)).values_list("pk", flat=True))


async def _in_thread(function: Any, *arguments: Any) -> Any:
    return await database_sync_to_async(function, thread_sensitive=False)(*arguments)
