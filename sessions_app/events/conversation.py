"""Read the conversation of a session: the whole, a page of its newest messages, or a page of the messages before a
given one."""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from django.db.models import Exists, Func, IntegerField, OuterRef, Q, QuerySet, Subquery, Sum, Value
from django.db.models.functions import Coalesce

from agentsite.base.errors import BadInput
from sessions_app.events import schema, views
from sessions_app.models import Message, Part, PermissionRequest, Question, ToolCall, Turn, WorkspaceNote

MAX_MESSAGES: Final = 200  # of one page
MAX_BYTES: Final = 240_000  # of one page, unless its newest message alone is larger
ROW_BYTES: Final = {Part: 250, ToolCall: 700}
"""Bytes of a row's view besides its texts: names of fields, ids and times."""
TEXTS: Final = {
    Part: ("text", "data"),
    ToolCall: ("output", "live_output", "arguments", "raw_arguments", "metadata"),
}
"""Columns of which a view can be long."""


class ByteLength(Func):
    """Database function: the number of bytes of a text or JSON column."""

    output_field = IntegerField()
    template = "OCTET_LENGTH(CAST(%(expressions)s AS TEXT))"

    def as_sqlite(self, compiler: Any, connection: Any, **context: Any) -> Any:
        return self.as_sql(compiler, connection, template="LENGTH(CAST(%(expressions)s AS BLOB))", **context)


@dataclass(frozen=True, slots=True)
class Window:
    """The messages of one page of a conversation, oldest first. The page of older messages ends before the message
    `oldest`, which is None if there are no older messages; this page may also contain older messages that are still
    changing. `before` is the message that follows the page, or None for the newest page."""

    messages: list[Message]
    oldest: uuid.UUID | None
    before: uuid.UUID | None = None

    @property
    def is_whole(self) -> bool:
        return self.oldest is None and self.before is None


def require_page_size(limit: int) -> None:
    """Raise BadInput if a page of a conversation cannot have this number of messages."""
    if not 1 <= limit <= MAX_MESSAGES:
        raise BadInput("The page size is out of range.", fields={"limit": f"must be between 1 and {MAX_MESSAGES}"})


def whole_conversation(session_id: uuid.UUID) -> Window:
    return Window(list(_messages(session_id).order_by("id")), oldest=None)


def newest_messages(session_id: uuid.UUID, *, limit: int) -> Window:
    """Return the newest messages, at most `limit` of them and about MAX_BYTES. Messages that are being written, or have
    a call that has not ended, are always included."""
    turns = Turn.objects.filter(session=session_id, state__in=Turn.OPEN).order_by()
    calls = ToolCall.objects.filter(turn__in=turns, state__in=ToolCall.OPEN).order_by()
    newest = Message.objects.filter(session=session_id).order_by("-id").values("id")[: limit + 1]
    chosen = Q(pk__in=newest) | Q(pk__in=calls.values("message")) | Q(pk__in=turns.values("answer_id"))
    is_open = Exists(ToolCall.objects.filter(message=OuterRef("pk"), state__in=ToolCall.OPEN))
    rows = list(_sized(_messages(session_id).filter(chosen)).annotate(has_open_calls=is_open))
    found = rows[: _room(rows, limit)]
    rest = rows[len(found) :]
    kept = [row for row in rest if row.has_open_calls or row.state == Message.State.STREAMING]
    return Window([*kept[::-1], *found[::-1]], oldest=found[-1].pk if rest else None)


def messages_before(session_id: uuid.UUID, *, before: uuid.UUID, limit: int) -> Window:
    """Return the newest messages before the message `before`: at most `limit` of them and about MAX_BYTES."""
    rows = list(_sized(_messages(session_id).filter(pk__lt=before))[: limit + 1])
    found = rows[: _room(rows, limit)]
    return Window(found[::-1], oldest=found[-1].pk if len(found) < len(rows) else None, before=before)


def read_window(session_id: uuid.UUID, window: Window) -> schema.ConversationView:
    """Return the messages of a window with their turns, parts, calls, requests, questions and notes. The newest page
    also has the open turn and the open requests and questions."""
    turns, rows, asked, notes = _filters(session_id, window)
    requests = PermissionRequest.objects.filter(asked).select_related("answered_by", "call").order_by("id")
    turn_rows = list(Turn.objects.filter(turns).order_by("id"))
    return schema.ConversationView(
        turns=[views.turn(row) for row in turn_rows],
        messages=[views.message(row) for row in window.messages],
        parts=[views.part(row) for row in Part.objects.filter(rows).order_by("message_id", "index")],
        calls=[views.call(row) for row in ToolCall.objects.filter(rows).defer("judgement").order_by("id")],
        permission_requests=[views.permission_request(row, tool=row.call.tool) for row in requests],
        questions=[views.question(row) for row in Question.objects.filter(asked).order_by("id")],
        workspace_notes=[views.workspace_note(row) for row in WorkspaceNote.objects.filter(notes).order_by("id")],
        alternatives=[views.alternatives(row) for row in turn_rows if row.alternatives or row.hidden_with_id],
        older=None if window.oldest is None else Message(pk=window.oldest).public_id,
    )


def _filters(session_id: uuid.UUID, window: Window) -> tuple[Q, Q, Q, Q]:
    """Return the filters for a page's database rows: for turns, for parts and calls, for requests and questions, and
    for notes."""
    of_session = Q(session=session_id)
    if window.is_whole:
        return of_session, of_session, of_session, of_session
    rows = Q(message__in=[row.pk for row in window.messages])
    turns = Q(pk__in={row.turn_id for row in window.messages})
    asked = Q(call__message__in=[row.pk for row in window.messages])
    notes = of_session
    if window.before is None:
        turns |= of_session & Q(state__in=Turn.OPEN)
        asked |= of_session & Q(state="open")
    else:
        notes &= Q(pk__lt=window.before)
    if window.oldest is not None:
        notes &= Q(pk__gt=window.oldest)
    return turns, rows, asked, notes


def _messages(session_id: uuid.UUID) -> QuerySet[Message]:
    return Message.objects.filter(session=session_id).select_related("author")


def _sized(messages: QuerySet[Message]) -> QuerySet[Message]:
    """Annotate each message with `bytes`, its approximate size as JSON with its parts and calls, and sort the newest
    first."""
    return messages.annotate(bytes=_bytes_of(Part) + _bytes_of(ToolCall)).order_by("-id")


def _bytes_of(model: type[Part] | type[ToolCall]) -> Coalesce:
    row = sum((ByteLength(column) for column in TEXTS[model]), start=Value(ROW_BYTES[model]))
    rows = model.objects.filter(message=OuterRef("pk")).order_by().values("message")
    return Coalesce(Subquery(rows.annotate(total=Sum(row)).values("total")), 0, output_field=IntegerField())


def _room(rows: Sequence[Message], limit: int) -> int:
    """Return the number of messages that fit into a page, but at least one. `rows` are annotated by `_sized` and sorted
    newest first."""
    total = 0
    for count, row in enumerate(rows[:limit]):
        total += row.bytes  # type: ignore[attr-defined]
        if total > MAX_BYTES and count > 0:
            return count
    return min(limit, len(rows))
