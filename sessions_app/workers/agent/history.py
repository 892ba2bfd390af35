"""Load the conversation so far for a step.

Finished messages change only when the session's `context_version` changes, so each process caches the converted chat
messages and loads only newer messages: a step costs the same at step 10 and at step 1,000.
"""

import threading
import uuid
from collections import OrderedDict
from dataclasses import dataclass, field, replace
from typing import Any, Final

from sessions_app.agent.compaction import summary_as_message
from sessions_app.agent.context import StoredMessage, chat_messages
from sessions_app.models import Message
from sessions_app.queries.sent_messages import ConversationSummary, StoredWithId, load_messages, load_summary

MAX_CACHED_SESSIONS: Final = 256


@dataclass(frozen=True, slots=True)
class Conversation:
    """The chat messages of a session. `last_id` is the newest message in `messages`. `progressed`: the conversation has
    an answer of the model that no summary covers, so that another summary would make it shorter."""

    version: int = 0
    notes: ConversationSummary | None = None
    last_id: uuid.UUID | None = None
    messages: list[dict[str, Any]] = field(default_factory=list)
    progressed: bool = False
    has_files: bool = False
    """Whether `messages` refer to attached files, whose contents a request needs."""


class HistoryCache:
    """Thread-safe cache of the conversations of a limited number of sessions, one per process. It is only an
    optimisation: any entry may be missing."""

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


def _begin(session_id: uuid.UUID, *, before: uuid.UUID, version: int) -> Conversation:
    notes = load_summary(session_id, before=before)
    if notes is None:
        return Conversation(version)
    first = summary_as_message(notes.text, prompt=notes.prompt)
    return Conversation(version, notes, notes.last_covered_id, [first])


def _extend(known: Conversation, fresh: list[StoredWithId]) -> Conversation:
    """Return a copy of the conversation `known` with the new messages `fresh` appended. The lists of `known` are not
    changed, because callers may still use them."""
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
        has_files=known.has_files or any(_has_files(message) for _, message in fresh),
    )


def _has_files(message: StoredMessage) -> bool:
    return bool(message.files) or any(call.files for call in message.calls)


history = HistoryCache()
