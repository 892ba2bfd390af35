"""Keep the search index up to date: texts are read from the events of each change, in the transaction of that
change."""

import uuid
from collections.abc import Iterable
from contextlib import suppress

from agentsite.base.errors import Missing
from agentsite.base.ids import from_public, to_public
from agentsite.base.prepared import insert_rows
from agentsite.tenancy.models import User
from sessions_app.events.log import StoredEvents
from sessions_app.events.review_schema import ReviewCommentView
from sessions_app.events.schema import MessageView, PartView, SessionView, ToolCallView, View
from sessions_app.models import Message, Part, ReviewComment, SearchText, Session, ToolCall
from sessions_app.search.words import words_of

Kind = SearchText.Kind
_KEPT = ("kind", "text", "words", "person")


def index_events(stored: StoredEvents) -> None:
    """Index the texts of the events that one change of a session has stored. Most changes contain no text and need no
    query."""
    events = [view for _, view in stored.views]
    messages = {view.id: view for view in events if isinstance(view, MessageView)}
    rows: dict[str, SearchText] = {}
    for view in events:
        row = _row(stored.session, view, messages, renamed=stored.is_renamed)
        if row is not None:
            rows[row.ref] = row
    save_texts(rows.values())


def save_texts(rows: Iterable[SearchText]) -> None:
    """Insert or update texts in the search index; texts without words are not stored."""
    kept: list[SearchText] = []
    empty: list[SearchText] = []
    for row in rows:
        row.text = row.text.encode("utf-8", "replace").decode().replace("\0", "\ufffd")
        row.words = words_of(row.text)
        (kept if row.words else empty).append(row)
    if empty:
        SearchText.objects.filter(ref__in=[row.ref for row in empty]).delete()
    if kept:
        insert_rows(kept, unique="ref", replacing=_KEPT)


def delete_texts(refs: Iterable[str]) -> None:
    """Delete the texts of removed objects from the search index. `refs` are the public ids of the objects."""
    SearchText.objects.filter(ref__in=list(refs)).delete()


def texts_of(session: Session) -> Iterable[SearchText]:
    """Yield all texts of a session from its rows, for `rebuild_search`."""
    yield _text(session, Kind.TITLE, session.public_id, session.title, session.created_by_id)
    parts = Part.objects.filter(session=session, type=Part.Type.TEXT).exclude(text="").order_by("id")
    for part in parts.select_related("message").iterator(chunk_size=500):
        kind = _kind(part.message.role)
        yield _text(session, kind, part.public_id, part.text, part.message.author_id)
    calls = ToolCall.objects.filter(session=session).exclude(state__in=ToolCall.OPEN).exclude(title="").order_by("id")
    for call_id, title in calls.values_list("id", "title").iterator(chunk_size=500):
        yield _text(session, Kind.TOOL, to_public(ToolCall.PREFIX, call_id), title, None)
    comments = ReviewComment.objects.filter(session=session).exclude(state=ReviewComment.State.DRAFT).order_by("id")
    for comment in comments.iterator(chunk_size=500):
        yield _text(session, Kind.COMMENT, comment.public_id, comment.text, comment.author_id)


def _row(session: Session, view: View, messages: dict[str, MessageView], *, renamed: bool) -> SearchText | None:
    match view:
        case SessionView() if renamed:
            return _text(session, Kind.TITLE, view.id, view.title, session.created_by_id)
        case PartView(type="text") if view.text.strip():
            role, author = _text_of(view, messages)
            return _text(session, _kind(role), view.id, view.text, author)
        case ToolCallView() if view.ended_at is not None and view.title:
            return _text(session, Kind.TOOL, view.id, view.title, None)
        case ReviewCommentView():  # drafts have no events
            author = from_public(User.PREFIX, view.author.id) if view.author else None
            return _text(session, Kind.COMMENT, view.id, "" if view.state == "deleted" else view.text, author)
    return None


def _text_of(view: PartView, messages: dict[str, MessageView]) -> tuple[str, uuid.UUID | None]:
    message = messages.get(view.message_id)
    if message is not None:
        return message.role, from_public(User.PREFIX, message.author.id) if message.author else None
    with suppress(Missing):
        rows = Message.objects.filter(pk=from_public(Message.PREFIX, view.message_id))
        found = rows.values_list("role", "author_id").first()
        if found is not None:
            return found
    return Message.Role.ASSISTANT, None


def _kind(role: str) -> str:
    return Kind.PROMPT if role == Message.Role.USER else Kind.ANSWER


def _text(session: Session, kind: str, ref: str, text: str, person_id: uuid.UUID | None) -> SearchText:
    return SearchText(session_id=session.pk, kind=kind, ref=ref, text=text, person_id=person_id)
