"""Load the messages of a session that are sent to models, and the summary that replaces the older ones."""

import uuid
from dataclasses import dataclass, replace
from typing import Any, Final

from django.db.models import QuerySet

from agentsite.base.ids import from_public
from agentsite.base.prepared import PreparedQuery
from sessions_app.agent.compaction import PRUNED
from sessions_app.agent.context import StoredCall, StoredMessage
from sessions_app.models import Message, Part

SENT_PART_TYPES: Final = (Part.Type.TEXT, Part.Type.COMMAND, Part.Type.AGENT, Part.Type.FILE, Part.Type.TOOL)
PART_FIELDS: Final = (
    "message_id", "message__role", "type", "text", "data",
    "call__provider_id", "call__tool", "call__raw_arguments", "call__output", "call__attachments", "call__pruned",
)  # fmt: skip

FIRST_ID: Final = uuid.UUID(int=0)
"""An id that is smaller than the id of every message."""

StoredWithId = tuple[uuid.UUID, StoredMessage]


@dataclass(frozen=True, slots=True)
class ConversationSummary:
    """A summary that replaces the older part of a conversation. It was stored by the compaction in message
    `message_id`. All messages from `kept_from` on were kept (None: no message). `prompt` is the last prompt, if the
    kept messages do not include it."""

    message_id: uuid.UUID
    text: str
    prompt: str
    kept_from: uuid.UUID | None

    @property
    def last_covered_id(self) -> uuid.UUID:
        """Return the largest id that the summary covers, which need not be the id of a message. Messages with larger
        ids are sent to the model unchanged."""
        return self.message_id if self.kept_from is None else uuid.UUID(int=self.kept_from.int - 1)


def load_summary(session_id: uuid.UUID, *, before: uuid.UUID) -> ConversationSummary | None:
    """Return the session's newest summary that is older than the message `before`, or None."""
    rows = Part.objects.filter(
        session_id=session_id, type=Part.Type.COMPACTION, message_id__lt=before, message__state=Message.State.COMPLETE,
        message__reverted_by__isnull=True, message__turn__hidden_with=None,
    )  # fmt: skip
    newest = rows.order_by("-message_id").values_list("message_id", flat=True).first()
    if newest is None:
        return None
    parts = list(rows.filter(message_id=newest).order_by("index").values_list("text", "data"))
    data = parts[0][1]
    kept_from = from_public("msg", data["kept_from"]) if data["kept_from"] else None
    return ConversationSummary(newest, "\n\n".join(text for text, _ in parts), data["prompt"], kept_from)


def load_messages(session_id: uuid.UUID, *, after: uuid.UUID | None, before: uuid.UUID) -> list[StoredWithId]:
    """Load the complete messages of a session between two ids, with their parts and tool calls, in one query."""
    rows = _sent_parts.tuples(session=session_id, after=after or FIRST_ID, before=before)
    found: dict[uuid.UUID, StoredMessage] = {}
    for message_id, role, kind, text, data, *call in rows:
        message = found.setdefault(message_id, StoredMessage(role, [], []))
        if kind == Part.Type.FILE:
            message.files.append(data["attachment"])
        elif call[0] is None:
            message.texts.append(text)
        else:
            stored, pruned = StoredCall(*call[:-1]), call[-1]
            message.calls.append(replace(stored, output=PRUNED, files=()) if pruned else stored)
    return list(found.items())


def _sent(session: Any, after: Any, before: Any) -> QuerySet[Part, tuple[Any, ...]]:
    rows = Part.objects.filter(session=session, message__gt=after, message__lt=before, type__in=SENT_PART_TYPES)
    shown = rows.filter(message__reverted_by__isnull=True, message__turn__hidden_with__isnull=True)
    complete = shown.filter(message__state=Message.State.COMPLETE)
    return complete.order_by("message_id", "index").values_list(*PART_FIELDS)


_sent_parts: Final[PreparedQuery[Part]] = PreparedQuery(_sent)
