"""What a call would need, asked without doing anything: in a workspace, or with none at all.

Without one nothing is known but the call's text: paths are taken as they stand, files are not there, links neither. A
session's own answer may be stricter.
"""

import json
import posixpath
from collections.abc import Callable, Coroutine, Mapping, Sequence
from typing import Any, Final, NoReturn, cast

from agentsite.background import background
from sandbox.errors import NotFound
from sandbox.ports import WORKSPACE_ROOT, FileStat, RealPath, Runtime
from tools_app import chain
from tools_app.registry import Catalogue
from tools_app.spec import PermissionNeed, ToolContext

_NOT_THERE: Final = "Nothing is known of the files of a workspace that was not asked."


async def needs_of_call(
    tool: str, raw_arguments: str, *, runtime: Runtime, agent: str, tools: Catalogue | None = None
) -> Sequence[PermissionNeed]:
    """What such a call would need now, of a tool among `tools` (the site's own by default). Looks, and keeps nothing.
    Raises ToolError when it means nothing to the tool."""
    ctx = ToolContext(
        session_id="", message_id="", call_id="", agent=agent, runtime=runtime, memory=_NoMemory(), progress=_keep_quiet
    )
    return (await chain.prepare(tool, raw_arguments, ctx, tools)).needs


def imagined_needs(
    tool: str, arguments: Mapping[str, Any], *, agent: str = "build", tools: Catalogue | None = None
) -> Sequence[PermissionNeed]:
    """The same without a workspace."""
    runtime = cast(Runtime, _ImaginedWorkspace())
    return background.run(needs_of_call(tool, json.dumps(dict(arguments)), runtime=runtime, agent=agent, tools=tools))


class _ImaginedWorkspace:
    """A Runtime with an empty workspace, of which only what tools ask before they run is there."""

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
            raise NotFound(_NOT_THERE)

        return refuse


class _NoMemory:
    """A SessionMemory that knows nothing and keeps nothing."""

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


def _keep_quiet(**_news: Any) -> None:
    """Nobody follows a call that is only asked about."""
