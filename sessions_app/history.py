"""The conversation so far, loaded for a step.

Finished messages never change, so each process remembers what it has turned into chat messages and only loads what
came since: a step costs the same at step 10 and at step 1,000.
"""

import threading
import uuid
from collections import OrderedDict, defaultdict
from dataclasses import dataclass, field
from typing import Any, Final

from sessions_app.agent.context import StoredCall, StoredMessage, chat_messages
from sessions_app.models import Message, Part, ToolCall

REMEMBERED_SESSIONS: Final = 256


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
    rows = Message.objects.filter(session_id=session_id, id__lt=before, state=Message.State.COMPLETE)
    if after is not None:
        rows = rows.filter(id__gt=after)
    messages = list(rows.order_by("id").values_list("id", "role"))
    ids = [message_id for message_id, _ in messages]
    texts: dict[uuid.UUID, list[str]] = defaultdict(list)
    written = Part.objects.filter(message_id__in=ids, type=Part.Type.TEXT).order_by("message_id", "index")
    for message_id, text in written.values_list("message_id", "text"):
        texts[message_id].append(text)
    calls: dict[uuid.UUID, list[StoredCall]] = defaultdict(list)
    made = ToolCall.objects.filter(message_id__in=ids).order_by("message_id", "part__index")
    for message_id, *fields in made.values_list("message_id", "provider_id", "tool", "raw_arguments", "output"):
        calls[message_id].append(StoredCall(*fields))
    return [(message_id, StoredMessage(role, texts[message_id], calls[message_id])) for message_id, role in messages]


history = HistoryCache()
