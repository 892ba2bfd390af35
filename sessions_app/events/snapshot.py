"""Read a session as one snapshot, and the events after a sequence number."""

import uuid
from collections.abc import Sequence
from typing import Final

from sessions_app.events import schema, views
from sessions_app.events.conversation import newest_messages, read_window, require_page_size, whole_conversation
from sessions_app.models import Session, SessionEvent
from sessions_app.models.base import public_id_of

REPLAY_LIMIT: Final = 2000
MAX_READS: Final = 3


def read_snapshot(session_id: uuid.UUID, *, can_act: bool, limit: int | None = None) -> schema.SnapshotView:
    """Return the snapshot of a session, with the whole conversation or with at most `limit` of its newest messages.

    If an event arrives while the snapshot is read, it is read again, up to three times in total. After that, events
    newer than `seq` may already be included; replaying them is harmless because each has the complete view. Raises
    BadInput if `limit` is not allowed.
    """
    if limit is not None:
        require_page_size(limit)
    snapshot = _read_once(session_id, can_act=can_act, limit=limit)
    for _ in range(MAX_READS - 1):
        if Session.objects.values_list("last_seq", flat=True).get(pk=session_id) == snapshot.seq:
            break
        snapshot = _read_once(session_id, can_act=can_act, limit=limit)
    return snapshot


def _read_once(session_id: uuid.UUID, *, can_act: bool, limit: int | None) -> schema.SnapshotView:
    row = Session.objects.select_related("workspace", "created_by", "pull_request").get(pk=session_id)
    window = whole_conversation(session_id) if limit is None else newest_messages(session_id, limit=limit)
    conversation = read_window(session_id, window)
    return schema.SnapshotView(
        seq=row.last_seq,
        session=views.session(row),
        workspace=views.workspace(row.workspace),
        todos=views.todos(row.todos).todos,
        pull_request=views.pull_request(row.pull_request) if hasattr(row, "pull_request") else None,
        comparison_id=public_id_of("cmp", row.comparison_id),
        can_act=can_act,
        **{name: getattr(conversation, name) for name in schema.ConversationView.model_fields},
    )


def read_events(session_id: uuid.UUID, *, after: int) -> Sequence[SessionEvent] | None:
    """Return the session's events after the sequence number `after`, in order; None if the client has to read a
    snapshot instead, because the log does not have all of these events or they are too many."""
    last = Session.objects.values_list("last_seq", flat=True).get(pk=session_id)
    if after > last or after < 0 or last - after > REPLAY_LIMIT:
        return None
    rows = list(SessionEvent.objects.filter(session_id=session_id, seq__gt=after).order_by("seq"))
    return (
        None if rows and rows[0].seq != after + 1 else rows
    )  # a fork's log starts after the copied rows, which have no events
