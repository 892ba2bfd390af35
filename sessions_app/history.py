"""The conversation so far, loaded for a step.

Finished messages never change, so each process remembers what it has turned into chat messages and only loads what
came since: a step costs the same at step 10 and at step 1,000.
"""

import threading
import uuid
from collections import OrderedDict
from dataclasses import dataclass, field
from typing import Any, Final

from sessions_app.agent.context import StoredCall, StoredMessage, chat_messages
from sessions_app.models import Message, Part

REMEMBERED_SESSIONS: Final = 256
PART_FIELDS: Final = (
    "message_id", "message__role", "type", "text", "data",
    "call__provider_id", "call__tool", "call__raw_arguments", "call__output", "call__attachments",
)  # fmt: skip


@dataclass(slots=True)
class Conversation:
    """`last_id` is the newest message in `messages`."""

    last_id: uuid.UUID | None = None
    messages: list[dict[str, Any]] = field(default_factory=list)


class HistoryCache:
    """Bounded, per process, safe between threads. Only ever an optimisation: it may be empty at any time."""

    def __init__(self, size: int = REMEMBERED_SESSIONS) -> None:
        self._size = size
        self._lock = threading.Lock()
        self._known: OrderedDict[uuid.UUID, Conversation] = OrderedDict()

    def load(self, session_id: uuid.UUID, *, before: uuid.UUID) -> list[dict[str, Any]]:
        """Chat messages of everything complete that is older than message `before`. Call it inside a step, while no
        call of the session is open."""
        with self._lock:
            known = self._known.get(session_id) or Conversation()
        fresh = _load_messages(session_id, after=known.last_id, before=before)
        if fresh:
            known = Conversation(fresh[-1][0], known.messages + chat_messages(message for _, message in fresh))
        with self._lock:
            self._known[session_id] = known
            self._known.move_to_end(session_id)
            while len(self._known) > self._size:
                self._known.popitem(last=False)
        return list(known.messages)


def _load_messages(
    session_id: uuid.UUID, *, after: uuid.UUID | None, before: uuid.UUID
) -> list[tuple[uuid.UUID, StoredMessage]]:
    """In one query: the parts of complete messages, with the calls of those that are tool parts."""
    rows = Part.objects.filter(
        session_id=session_id,
        message_id__lt=before,
        message__state=Message.State.COMPLETE,
        type__in=(Part.Type.TEXT, Part.Type.FILE, Part.Type.TOOL),
    )
    if after is not None:
        rows = rows.filter(message_id__gt=after)
    found: dict[uuid.UUID, StoredMessage] = {}
    for message_id, role, kind, text, data, *call in rows.order_by("message_id", "index").values_list(*PART_FIELDS):
        message = found.setdefault(message_id, StoredMessage(role, [], []))
        if kind == Part.Type.FILE:
            message.files.append(data["attachment"])
        elif call[0] is None:
            message.texts.append(text)
        else:
            message.calls.append(StoredCall(*call))
    return list(found.items())


history = HistoryCache()
