"""Dry runs: the permissions that a tool call would need, without running it, with or without a workspace.

Without a workspace, only the arguments are known: paths are used as written, and no files or links exist. In a real
session the result may be stricter.
"""

import json
import posixpath
from collections.abc import Callable, Coroutine, Mapping, Sequence
from typing import Any, Final, NoReturn, cast

from agentsite.base.background import background
from sandbox.errors import NotFound
from sandbox.ports import WORKSPACE_ROOT, FileStat, RealPath, Runtime
from tools_app import chain
from tools_app.registry import Catalogue
from tools_app.spec import PermissionNeed, ToolContext

_NO_WORKSPACE: Final = "The files are not known, because no workspace was used."


async def needs_of_call(
    tool: str, raw_arguments: str, *, runtime: Runtime, agent: str, tools: Catalogue | None = None
) -> Sequence[PermissionNeed]:
    """Return the permissions that a call of `tool` would need now. Only reads from `runtime`, and stores nothing.

    `tools` are the available tools, by default those of the site. Raises ToolError if the arguments are not valid.
    """
    ctx = sessionless_context(runtime, agent=agent)
    return (await chain.prepare(tool, raw_arguments, ctx, tools)).needs


def sessionless_context(runtime: Runtime, *, agent: str = "", **more: Any) -> ToolContext:
    """Return a tool context for a call that belongs to no session: it has no memory, and progress reports are
    discarded. `more` are additional fields of the context."""
    return ToolContext(
        session_id="",
        message_id="",
        call_id="",
        agent=agent,
        runtime=runtime,
        memory=_NoMemory,
        progress=_ignore_progress,
        **more,
    )


def imagined_needs(
    tool: str, arguments: Mapping[str, Any], *, agent: str = "build", tools: Catalogue | None = None
) -> Sequence[PermissionNeed]:
    """Return the permissions that a tool call would need in an empty, imaginary workspace. Raises the ToolErrors of
    `needs_of_call`."""
    runtime = cast(Runtime, _ImaginedWorkspace())
    return background.run(needs_of_call(tool, json.dumps(dict(arguments)), runtime=runtime, agent=agent, tools=tools))


class _ImaginedWorkspace:
    """A Runtime with an empty workspace. It implements only the operations that tools use before they run."""

    async def stat(self, path: str) -> FileStat:
        real = RealPath(posixpath.normpath(posixpath.join(WORKSPACE_ROOT, path)))
        is_root = real == WORKSPACE_ROOT
        return FileStat(
            path=path,
            real_path=real,
            inside=is_root or real.startswith(f"{WORKSPACE_ROOT}/"),
            exists=is_root,
            kind="directory" if is_root else "other",
        )

    async def list(self, path: str, *, limit: int = 1000) -> Sequence[FileStat]:
        return ()

    def __getattr__(self, _operation: str) -> Callable[..., Coroutine[Any, Any, NoReturn]]:
        async def refuse(*_arguments: Any, **_options: Any) -> NoReturn:
            raise NotFound(_NO_WORKSPACE)

        return refuse


class _NoMemory:
    """A SessionMemory that is empty and stores nothing."""

    async def read_todos(self) -> list[dict[str, Any]]:
        return []

    async def write_todos(self, todos: Sequence[Mapping[str, Any]]) -> None:
        pass

    async def seen_version(self, path: str) -> str | None:
        return None

    async def remember_version(self, path: str, sha256: str) -> None:
        pass

    async def first_time(self, key: str) -> bool:
        return True


def _ignore_progress(**_progress: Any) -> None:
    """Discard progress reports."""
