"""Copy the conversation of one session into another one as new rows, for forks."""

import uuid
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, TypeVar

from django.db.models import Model

from agentsite.base.errors import Missing
from agentsite.base.ids import from_public, new_id, to_public
from sessions_app.models import Attachment, Message, Part, Session, SystemPrompt, ToolCall, Turn

Row = TypeVar("Row", bound=Model)
BATCH: Final = 500


@dataclass(slots=True)
class _IdMap:
    """A map from the ids of the copied rows to new ids. Each new id is larger than all earlier ids, because rows are
    sorted by id."""

    known: dict[uuid.UUID, uuid.UUID] = field(default_factory=dict)
    last: uuid.UUID | None = None

    def new_id(self, old: uuid.UUID) -> uuid.UUID:
        self.last = self.known[old] = new_id(after=self.last)
        return self.last

    def of_public(self, prefix: str, public_id: Any) -> Any:
        """Return the public id of the copy of a row; if the row was not copied, return `public_id` unchanged."""
        try:
            found = self.known.get(from_public(prefix, str(public_id)))
        except Missing:
            found = None
        return to_public(prefix, found) if found else public_id


def whole_messages(session: Session) -> list[Message]:
    """Return the visible messages of the session before its first message that is still being written or has open
    calls.

    Call it under the session's lock.
    """
    rows = Message.objects.filter(session=session, reverted_by=None, turn__hidden_with=None)
    begun = [
        *rows.filter(state=Message.State.STREAMING).order_by("id").values_list("id", flat=True)[:1],
        *rows.filter(calls__state__in=ToolCall.OPEN).order_by("id").values_list("id", flat=True)[:1],
    ]
    whole = rows.filter(pk__lt=min(begun)) if begun else rows
    return list(whole.order_by("id"))


def copy_conversation(messages: Sequence[Message], session: Session, *, now: Any) -> None:
    """Copy the messages into the empty `session`, inside its transaction. Costs stay with the original session. A turn
    that is still open in the original is completed in the copy."""
    ids = _IdMap()
    wanted = [message.pk for message in messages]
    parts = list(Part.objects.filter(message__in=wanted).order_by("message_id", "index"))
    calls = list(ToolCall.objects.filter(message__in=wanted).order_by("id"))
    files = Attachment.objects.filter(session__in={message.session_id for message in messages})
    _copy_attachments(ids, session, files.named(_attachment_ids(parts, calls)).order_by("id"))
    turns = Turn.objects.filter(pk__in={message.turn_id for message in messages}).order_by("id")
    _store(Turn, (_turn(ids, turn, session, now) for turn in turns))
    _copy_system_prompts(ids, messages, session)
    _store(Message, (_message(ids, row, session) for row in messages))
    for call in calls:
        ids.new_id(call.pk)
    _store(Part, [_part(ids, part, session) for part in parts])
    _store(ToolCall, [_call(ids, call, session) for call in calls])


def copy_files(public_ids: Sequence[str], source: Session, session: Session) -> list[str]:
    """Create attachment rows in `session` for attachments of the session `source`. Returns the ids of the new rows, in
    order."""
    ids = _IdMap()
    _copy_attachments(ids, session, Attachment.objects.filter(session=source).named(public_ids).order_by("id"))
    return [ids.of_public(Attachment.PREFIX, public_id) for public_id in public_ids]


def _copy_attachments(ids: _IdMap, session: Session, rows: Iterable[Attachment]) -> None:
    """Create attachment rows in `session` that refer to the stored files of `rows`.

    A stored file is deleted with the last row that refers to it.
    """
    _store(Attachment, [_new_row(ids, row, session) for row in rows])


def _copy_system_prompts(ids: _IdMap, messages: Sequence[Message], session: Session) -> None:
    """Copy the system prompts of the copied answers. The last of these copies becomes the new session's current system
    prompt."""
    used = [message.system_prompt_id for message in messages if message.system_prompt_id]
    rows = list(SystemPrompt.objects.filter(pk__in=set(used)))
    for row in rows:
        ids.known[row.pk] = SystemPrompt.id_of_copy(row, session.pk)
    _store(SystemPrompt, [_new_row(ids, row, session, id=ids.known[row.pk]) for row in rows])
    session.system_prompt_id = ids.known.get(used[-1]) if used else None
    session.save(update_fields=["system_prompt_id"])


def _message(ids: _IdMap, row: Message, session: Session) -> Message:
    prompt = ids.known.get(row.system_prompt_id) if row.system_prompt_id else None
    return _new_row(ids, row, session, turn_id=ids.known[row.turn_id], system_prompt_id=prompt)


def _attachment_ids(parts: Iterable[Part], calls: Iterable[ToolCall]) -> set[str]:
    """Return the ids of the attachments to which these parts and calls refer."""
    shown = [part.data["attachment"] for part in parts if part.type == Part.Type.FILE]
    shown += [attached for call in calls for attached in call.attachments]
    return {str(attached.get("id", "")) for attached in shown}


def _turn(ids: _IdMap, row: Turn, session: Session, now: Any) -> Turn:
    ended = {"state": Turn.State.COMPLETED, "ended_at": now} if row.state in Turn.OPEN else {}
    links: dict[str, Any] = {
        "caller_id": None,
        "root_id": None,
        "blocked_by_id": None,
        "waits_for": "",
        "compact": False,
    }
    links |= {"alternatives": [], "hidden_with_id": None}
    return _new_row(ids, row, session, lease_token="", lease_until=None, not_before=None, **links, **ended)


def _part(ids: _IdMap, row: Part, session: Session) -> Part:
    data = dict(row.data)
    if "call_id" in data:
        data["call_id"] = ids.of_public(ToolCall.PREFIX, data["call_id"])
    if data.get("kept_from"):
        data["kept_from"] = ids.of_public(Message.PREFIX, data["kept_from"])
    if "attachment" in data:
        data["attachment"] = _attached(ids, data["attachment"])
    return _new_row(ids, row, session, message_id=ids.known[row.message_id], data=data)


def _call(ids: _IdMap, row: ToolCall, session: Session) -> ToolCall:
    links = {name: ids.known[old] if (old := getattr(row, name)) else None for name in ("part_id", "outer_id")}
    return _new_row(
        ids, row, session, id=ids.known[row.pk], turn_id=ids.known[row.turn_id], message_id=ids.known[row.message_id],
        attachments=[_attached(ids, attached) for attached in row.attachments], lease_token="", lease_until=None,
        **links,
    )  # fmt: skip


def _attached(ids: _IdMap, view: Mapping[str, Any]) -> dict[str, Any]:
    return {**view, "id": ids.of_public(Attachment.PREFIX, view["id"])} if "id" in view else dict(view)


def _new_row(ids: _IdMap, row: Row, session: Session, **other: Any) -> Row:
    columns = row._meta.concrete_fields  # noqa: SLF001
    values = {column.attname: getattr(row, column.attname) for column in columns}
    return type(row)(**{**values, "session_id": session.pk, "id": other.get("id") or ids.new_id(row.pk), **other})


def _store(kind: Any, made: Iterable[Any]) -> None:
    """Insert the rows and keep the original `created_at`, which inserting would overwrite."""
    rows = list(made)
    times = [row.created_at for row in rows]
    kind.objects.bulk_create(rows, batch_size=BATCH)
    for row, at in zip(rows, times, strict=True):
        row.created_at = at
    kind.objects.bulk_update(rows, ["created_at"], batch_size=BATCH)
