"""Load the conversation so far for a step.

Finished messages change only when the session's `context_version` does, so each process caches the converted chat
messages and loads only newer ones: a step costs the same at step 10 and at step 1,000.
"""

import threading
import uuid
from collections import OrderedDict
from dataclasses import dataclass, field, replace
from typing import Any, Final

from django.db.models import QuerySet

from agentsite.base.ids import from_public
from agentsite.base.prepared import PreparedQuery
from sessions_app.agent.compaction import PRUNED, summary_as_message
from sessions_app.agent.context import StoredCall, StoredMessage, chat_messages
from sessions_app.models import Message, Part

MAX_CACHED_SESSIONS: Final = 256
SENT_PART_TYPES: Final = (Part.Type.TEXT, Part.Type.AGENT, Part.Type.FILE, Part.Type.TOOL)
PART_FIELDS: Final = (
    "message_id", "message__role", "type", "text", "data",
    "call__provider_id", "call__tool", "call__raw_arguments", "call__output", "call__attachments", "call__pruned",
)  # fmt: skip

FIRST_ID: Final = uuid.UUID(int=0)
"""Smaller than the id of every message."""

StoredWithId = tuple[uuid.UUID, StoredMessage]


@dataclass(frozen=True, slots=True)
class ConversationSummary:
    """A summary that replaces the older part of a conversation: the compaction in message `message_id`, which kept all
    messages from `kept_from` on (None: none). `prompt` is the last prompt, if it was not kept."""

    message_id: uuid.UUID
    text: str
    prompt: str
    kept_from: uuid.UUID | None

    @property
    def last_covered_id(self) -> uuid.UUID:
        """Return the id of the last message that the summary covers. Messages with a larger id are sent as they are."""
        return self.message_id if self.kept_from is None else uuid.UUID(int=self.kept_from.int - 1)


@dataclass(frozen=True, slots=True)
class Conversation:
    """Chat messages of a session. `last_id` is the newest message in `messages`. `progressed` is whether the model has
    answered since the last summary (or at all), so that another one would help."""

    version: int = 0
    notes: ConversationSummary | None = None
    last_id: uuid.UUID | None = None
    messages: list[dict[str, Any]] = field(default_factory=list)
    progressed: bool = False


class HistoryCache:
    """Thread-safe cache per process with a limited number of sessions. It is only an optimisation: every entry may be
    missing."""

    def __init__(self, size: int = MAX_CACHED_SESSIONS) -> None:
        self._size = size
        self._lock = threading.Lock()
        self._known: OrderedDict[uuid.UUID, Conversation] = OrderedDict()

    def load(self, session_id: uuid.UUID, *, before: uuid.UUID, version: int) -> Conversation:
        """Return the chat messages of all complete messages older than `before`.

        Call it inside a step, while no call of the session is open. `version` is the session's `context_version`.
        """
        with self._lock:
            known = self._known.get(session_id)
        if known is None or known.version != version:
            known = _begin(session_id, before=before, version=version)
        known = _extend(known, load_messages(session_id, after=known.last_id, before=before))
        with self._lock:
            self._known[session_id] = known
            self._known.move_to_end(session_id)
            while len(self._known) > self._size:
                self._known.popitem(last=False)
        return known


def load_summary(session_id: uuid.UUID, *, before: uuid.UUID) -> ConversationSummary | None:
    """Return the newest summary before a message, or None."""
    rows = Part.objects.filter(
        session_id=session_id, type=Part.Type.COMPACTION, message_id__lt=before, message__state=Message.State.COMPLETE
    )
    newest = rows.order_by("-message_id").values_list("message_id", flat=True).first()
    if newest is None:
        return None
    parts = list(rows.filter(message_id=newest).order_by("index").values_list("text", "data"))
    data = parts[0][1]
    kept_from = from_public("msg", data["kept_from"]) if data["kept_from"] else None
    return ConversationSummary(newest, "\n\n".join(text for text, _ in parts), data["prompt"], kept_from)


def load_messages(session_id: uuid.UUID, *, after: uuid.UUID | None, before: uuid.UUID) -> list[StoredWithId]:
    """Load complete messages with their parts and tool calls, in one query."""
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
    complete = rows.filter(message__state=Message.State.COMPLETE)
    return complete.order_by("message_id", "index").values_list(*PART_FIELDS)


_sent_parts: Final[PreparedQuery[Part]] = PreparedQuery(_sent)


def _begin(session_id: uuid.UUID, *, before: uuid.UUID, version: int) -> Conversation:
    notes = load_summary(session_id, before=before)
    if notes is None:
        return Conversation(version)
    first = summary_as_message(notes.text, prompt=notes.prompt)
    return Conversation(version, notes, notes.last_covered_id, [first])


def _extend(known: Conversation, fresh: list[StoredWithId]) -> Conversation:
    """Return a new conversation with the fresh messages. The lists of the known one are not changed, since callers may
    hold them."""
    if not fresh:
        return known
    answered = any(
        message.role == Message.Role.ASSISTANT and (known.notes is None or message_id > known.notes.message_id)
        for message_id, message in fresh
    )
    return replace(
        known,
        last_id=fresh[-1][0],
        messages=[*known.messages, *chat_messages(message for _, message in fresh)],
        progressed=known.progressed or answered,
    )


history = HistoryCache()
