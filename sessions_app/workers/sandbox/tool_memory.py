"""Memory of tools for each session, stored in the database."""

import uuid
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, TypeVar

from asgiref.sync import sync_to_async

from agentsite.base.prepared import PreparedQuery, insert_rows
from sessions_app.events import views
from sessions_app.events.log import session_write
from sessions_app.models import FileVersion, OnceKey, Session

T = TypeVar("T")


class DatabaseMemory:
    """A SessionMemory. Its methods are called on the background loop; the queries run in threads."""

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


_versions: Final[PreparedQuery[FileVersion]] = PreparedQuery(
    lambda session, path: FileVersion.objects.filter(session=session, path=path).values_list("sha256")
)


async def _thread(function: Callable[..., T], *args: Any) -> T:
    return await sync_to_async(function, thread_sensitive=False)(*args)
