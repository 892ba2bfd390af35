"""Stores that the tools of one session use: their memory, and the files that they read and attach."""

import hashlib
import uuid
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, TypeVar

from asgiref.sync import sync_to_async

from agentsite.base.errors import Missing, SiteError
from agentsite.base.ids import from_public
from agentsite.base.prepared import PreparedQuery, insert_rows
from sessions_app.actions.attachments import store_attachment
from sessions_app.events import views
from sessions_app.events.log import session_write
from sessions_app.models import Attachment, FileVersion, OnceKey, Session
from sessions_app.workers.shared.attachment_contents import load_contents
from tools_app import spec
from tools_app.attachment_types import NotAttachable, clean_name, inspect
from tools_app.spec import ToolError

T = TypeVar("T")


class DatabaseMemory:
    """The implementation of `SessionMemory` in the database. Its methods are called on the background loop; the queries
    run in threads."""

    def __init__(self, session_id: uuid.UUID) -> None:
        self._session_id = session_id

    async def read_todos(self) -> list[dict[str, Any]]:
        return await _thread(self._read_todos)

    async def write_todos(self, todos: Sequence[Mapping[str, Any]]) -> None:
        await _thread(self._write_todos, [dict(item) for item in todos])

    async def seen_version(self, path: str) -> str | None:
        return await _thread(self._seen_version, path)

    async def remember_version(self, path: str, sha256: str) -> None:
        await _thread(self._remember_version, path, sha256)

    async def first_time(self, key: str) -> bool:
        return await _thread(self._first_time, key)

    def _read_todos(self) -> list[dict[str, Any]]:
        todos: list[dict[str, Any]] = Session.objects.values_list("todos", flat=True).get(pk=self._session_id)
        return todos

    def _write_todos(self, todos: list[dict[str, Any]]) -> None:
        with session_write(self._session_id) as write:
            write.session.todos = todos
            write.session.save(update_fields=["todos"])
            write.emit("todos.updated", views.todos(todos))

    def _seen_version(self, path: str) -> str | None:
        seen = _versions.tuples(session=self._session_id, path=path)
        return seen[0][0] if seen else None

    def _remember_version(self, path: str, sha256: str) -> None:
        row = FileVersion(session_id=self._session_id, path=path, sha256=sha256)
        insert_rows([row], unique="session_id, path", replacing=["sha256"])

    def _first_time(self, key: str) -> bool:
        _, created = OnceKey.objects.get_or_create(session_id=self._session_id, key=key)
        return created


class SessionFiles:
    """The `FileStore` of one session's attachments. Its methods are called on the background loop; database and storage
    are used in threads."""

    def __init__(self, session_id: uuid.UUID) -> None:
        self._session_id = session_id

    async def put(self, name: str, media_type: str, data: bytes) -> spec.Attachment:
        """Store a file as an attachment of the session. Its media type is detected from the content; the argument
        `media_type` is ignored."""
        return await sync_to_async(self._put, thread_sensitive=False)(clean_name(name), data)

    async def describe(self, attachment_id: str) -> spec.Attachment:
        return await sync_to_async(self._describe, thread_sensitive=False)(attachment_id)

    async def get(self, attachment_id: str) -> bytes:
        return await sync_to_async(self._get, thread_sensitive=False)(attachment_id)

    def _put(self, name: str, data: bytes) -> spec.Attachment:
        return _named(self._already_stored(name, data) or self._store(name, data))

    def _already_stored(self, name: str, data: bytes) -> Attachment | None:
        """Return the stored attachment of this session with the same name and content, or None. Without this check, the
        same picture would be stored again each time it is read."""
        digest = hashlib.sha256(data).hexdigest()
        row = Attachment.objects.filter(session_id=self._session_id, name=name, sha256=digest).order_by("id").last()
        is_there = row and load_contents(row.session_id, [row.public_id]).get(row.public_id) == data
        return row if is_there else None

    def _store(self, name: str, data: bytes) -> Attachment:
        session = Session.objects.select_related("project").get(pk=self._session_id)
        try:
            return store_attachment(session, name, data, inspect(name, data))
        except NotAttachable as error:
            raise ToolError(f"{error.message} {error.hint}") from error
        except SiteError as error:
            raise ToolError(error.message) from error

    def _describe(self, attachment_id: str) -> spec.Attachment:
        row = self._find(attachment_id)
        is_shown = row.media_type != "text/plain"
        if is_shown and row.session_id != self._session_id:  # results show files of their own session only
            row = self._store(row.name, self._content(row))
        return _named(row)

    def _get(self, attachment_id: str) -> bytes:
        return self._content(self._find(attachment_id))

    def _content(self, row: Attachment) -> bytes:
        content = load_contents(row.session_id, [row.public_id]).get(row.public_id)
        if content is None:
            raise ToolError(f"{row.name} was deleted. Ask for it to be attached again.")
        return content

    def _find(self, attachment_id: str) -> Attachment:
        try:
            key = from_public(Attachment.PREFIX, attachment_id)
            return Attachment.objects.get(pk=key, session_id__in=self._family())
        except (Missing, Attachment.DoesNotExist) as error:
            raise ToolError(f"No file with the id {attachment_id[:60]} is attached to this conversation.") from error

    def _family(self) -> list[uuid.UUID]:
        """Return the ids of this session and of the sessions above it: a sub-agent may read the attachments of its
        callers."""
        found = [self._session_id]
        while parent := Session.objects.values_list("parent_id", flat=True).filter(pk=found[-1]).first():
            found.append(parent)
        return found


def _named(row: Attachment) -> spec.Attachment:
    return {
        "id": row.public_id,
        "name": row.name,
        "media_type": row.media_type,
        "size": row.size,
        "width": row.width,
        "height": row.height,
    }


_versions: Final[PreparedQuery[FileVersion]] = PreparedQuery(
    lambda session, path: FileVersion.objects.filter(session=session, path=path).values_list("sha256")
)


async def _thread(function: Callable[..., T], *args: Any) -> T:
    return await sync_to_async(function, thread_sensitive=False)(*args)
