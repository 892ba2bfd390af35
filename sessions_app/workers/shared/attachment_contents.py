"""Load the contents of attached files for model requests from the storage.

A file never changes, and each step of a session sends it again, so recently read contents are cached up to a limit.
"""

import threading
import uuid
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from typing import Any, Final

from sessions_app.agent.attachment_parts import choose_files, with_files
from sessions_app.models import Attachment
from sessions_app.storage.attachments import read_all
from tools_app.spec import ModelTraits

CACHE_BYTES: Final = 64 << 20


class ContentCache:
    """Thread-safe cache of the contents of attachments, one per process and limited in bytes. It is only an
    optimisation: any entry may be missing."""

    def __init__(self, size: int = CACHE_BYTES) -> None:
        self._size = size
        self._held = 0
        self._lock = threading.Lock()
        self._known: OrderedDict[str, bytes] = OrderedDict()

    def find(self, public_ids: Sequence[str]) -> dict[str, bytes]:
        with self._lock:
            found = {public_id: self._known[public_id] for public_id in public_ids if public_id in self._known}
            for public_id in found:
                self._known.move_to_end(public_id)
            return found

    def remember(self, contents: Mapping[str, bytes]) -> None:
        with self._lock:
            for public_id, content in contents.items():
                self._held += len(content) - len(self._known.pop(public_id, b""))
                self._known[public_id] = content
            while self._held > self._size:
                self._held -= len(self._known.popitem(last=False)[1])


def fill_in(
    messages: Sequence[Mapping[str, Any]], model: ModelTraits, *, session_id: uuid.UUID
) -> list[Mapping[str, Any]]:
    """Return the messages with the contents of those files that the model accepts. A sentence replaces every other
    file."""
    wanted = choose_files(messages, model)
    if not wanted:
        return with_files(messages, model, {})
    refused = {row.public_id for row in Attachment.objects.filter(session_id=session_id, refused=True)}
    return with_files(messages, model, load_contents(session_id, wanted), refused)


def load_contents(session_id: uuid.UUID, public_ids: Sequence[str]) -> dict[str, bytes]:
    """Return the contents of a session's attachments by public id. Missing files and files of other sessions are left
    out."""
    if not public_ids:
        return {}
    there = {row.public_id: row for row in Attachment.objects.filter(session_id=session_id).named(public_ids)}
    known = contents.find(list(there))
    fresh = read_all(row for public_id, row in there.items() if public_id not in known)
    contents.remember(fresh)
    return known | fresh


contents: Final = ContentCache()
