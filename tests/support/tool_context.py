"""Tool contexts for tests, with a memory without a database, and a progress reporter that records its updates."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, Final

from sandbox.ports import Runtime
from tools_app import chain
from tools_app.attachment_types import inspect
from tools_app.gate import SessionPathRules
from tools_app.permission import layers
from tools_app.spec import Attachment, FileStore, ToolContext, ToolError, ToolResult

BALANCED: Final = SessionPathRules(layers.preferences(agent="build"), layers.limits(agent="build"))
"""The rules of a team with default settings."""


class InMemoryMemory:
    """A SessionMemory that lives as long as the test."""

    def __init__(self) -> None:
        self.todos: list[dict[str, Any]] = []
        self.versions: dict[str, str] = {}
        self.keys: set[str] = set()

    async def read_todos(self) -> list[dict[str, Any]]:
        return [dict(todo) for todo in self.todos]

    async def write_todos(self, todos: Sequence[Mapping[str, Any]]) -> None:
        self.todos = [dict(todo) for todo in todos]

    async def seen_version(self, path: str) -> str | None:
        return self.versions.get(path)

    async def remember_version(self, path: str, sha256: str) -> None:
        self.versions[path] = sha256

    async def first_time(self, key: str) -> bool:
        known = key in self.keys
        self.keys.add(key)
        return not known


class InMemoryFiles:
    """A FileStore that lives as long as the test, with the same checks as the site's."""

    def __init__(self) -> None:
        self.named: dict[str, Attachment] = {}
        self.contents: dict[str, bytes] = {}

    async def put(self, name: str, media_type: str, data: bytes) -> Attachment:
        media = inspect(name, data)
        key = f"att_{len(self.named):032x}"
        self.named[key] = {"id": key, "name": name, "media_type": media.media_type, "size": len(data)}
        self.contents[key] = data
        return self.named[key]

    async def describe(self, attachment_id: str) -> Attachment:
        if attachment_id not in self.named:
            raise ToolError(f"Nothing of the id {attachment_id} is attached.")
        return self.named[attachment_id]

    async def get(self, attachment_id: str) -> bytes:
        await self.describe(attachment_id)
        return self.contents[attachment_id]


class RecordedProgress:
    def __init__(self) -> None:
        self._news = asyncio.Event()
        self.output = ""
        self.titles: list[str] = []
        self.metadata: dict[str, Any] = {}

    def __call__(
        self, *, title: str | None = None, output: str | None = None, metadata: Mapping[str, Any] | None = None
    ) -> None:
        self.output += output or ""
        self._news.set()
        if title is not None:
            self.titles.append(title)
        if metadata is not None:
            self.metadata = dict(metadata)

    async def heard(self, text: str) -> None:
        """Wait until the output contains this text."""
        while text not in self.output:
            self._news.clear()
            await self._news.wait()


def make_context(
    runtime: Runtime,
    *,
    call_id: str = "call_1",
    memory: InMemoryMemory | None = None,
    progress: RecordedProgress | None = None,
    files: FileStore | None = None,
    rules: SessionPathRules | None = None,
) -> ToolContext:
    kept, store = memory or InMemoryMemory(), files or InMemoryFiles()
    return ToolContext(
        session_id="ses_1",
        message_id="msg_1",
        call_id=call_id,
        agent="build",
        runtime=runtime,
        memory=lambda: kept,
        progress=progress or RecordedProgress(),
        files=lambda: store,
        path_rules=_path_rules(rules or BALANCED),
    )


def _path_rules(rules: SessionPathRules) -> Callable[[], Awaitable[SessionPathRules]]:
    async def current() -> SessionPathRules:
        return rules

    return current


async def call(tool_id: str, raw_arguments: str, ctx: ToolContext) -> ToolResult:
    """Prepare and run a call, as if every permission were given."""
    return await chain.run(await chain.prepare(tool_id, raw_arguments, ctx), ctx)
