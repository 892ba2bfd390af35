"""Read a session as one snapshot, and the events after a sequence number."""

import uuid
from collections.abc import Sequence
from typing import Final

from sessions_app.events import schema, views
from sessions_app.models import (
    Message,
    Part,
    PermissionRequest,
    Question,
    Session,
    SessionEvent,
    ToolCall,
    Turn,
    WorkspaceNote,
)

REPLAY_LIMIT: Final = 2000
MAX_READS: Final = 3


def read_snapshot(session_id: uuid.UUID, *, can_act: bool) -> schema.SnapshotView:
    """Return the snapshot. Reads again, up to three times in total, if an event arrived meanwhile. After that, events
    newer than `seq` may already be included; replaying them is harmless because each has the complete view."""
    snapshot = _read_once(session_id, can_act=can_act)
    for _ in range(MAX_READS - 1):
        if Session.objects.values_list("last_seq", flat=True).get(pk=session_id) == snapshot.seq:
            break
        snapshot = _read_once(session_id, can_act=can_act)
    return snapshot


def _read_once(session_id: uuid.UUID, *, can_act: bool) -> schema.SnapshotView:
    row = Session.objects.select_related("workspace", "created_by").get(pk=session_id)
    requests = PermissionRequest.objects.filter(session=row).select_related("answered_by", "call")
    return schema.SnapshotView(
        seq=row.last_seq,
        session=views.session(row),
        workspace=views.workspace(row.workspace),
        turns=[views.turn(item) for item in Turn.objects.filter(session=row).order_by("id")],
        messages=[
            views.message(item) for item in Message.objects.filter(session=row).select_related("author").order_by("id")
        ],
        parts=[views.part(item) for item in Part.objects.filter(session=row).order_by("message_id", "index")],
        calls=[views.call(item) for item in ToolCall.objects.filter(session=row).order_by("id")],
        permission_requests=[views.permission_request(item, tool=item.call.tool) for item in requests.order_by("id")],
        questions=[views.question(item) for item in Question.objects.filter(session=row).order_by("id")],
        todos=views.todos(row.todos).todos,
        workspace_notes=[
            views.workspace_note(item) for item in WorkspaceNote.objects.filter(session=row).order_by("id")
        ],
        can_act=can_act,
    )


def read_events(session_id: uuid.UUID, *, after: int) -> Sequence[SessionEvent] | None:
    """Return the events after the cursor, in order; None if the cursor is unknown or so old that a snapshot is
    cheaper."""
    last = Session.objects.values_list("last_seq", flat=True).get(pk=session_id)
    if after > last or after < 0 or last - after > REPLAY_LIMIT:
        return None
    rows = list(SessionEvent.objects.filter(session_id=session_id, seq__gt=after).order_by("seq"))
    return (
        None if rows and rows[0].seq != after + 1 else rows
    )  # a fork's log starts after the copied rows, which have no events
