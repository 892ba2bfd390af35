"""Permission rules that lie in a workspace: read when it is made ready and looked at before every call.

Looking is a few questions at once, about folders and the files that are there; only a change makes it read again.
"""

import asyncio
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from agentsite.background import background
from sandbox.errors import LimitReached, SandboxRefused
from sandbox.ports import WORKSPACE_ROOT, FileStat, RealPath, Runtime
from sessions_app.models import Workspace
from tools_app.policies.files import FILE_LIMIT, FILES, bounded_files, broken_file, read_file

FOLDERS: Final = (".", ".opencode", ".agentsite")
MOST_REMEMBERED: Final = 5000  # workspaces of which this process knows how they looked

Traces = tuple[tuple[Any, ...], ...]
Files = list[dict[str, Any]]


@dataclass(frozen=True, slots=True)
class _Seen:
    """How folders and files looked, and what the files said then."""

    folders: Traces
    present: dict[str, tuple[Any, ...]]
    files: Files


_seen: dict[uuid.UUID, _Seen] = {}


def refresh_project_files(workspace: Workspace, runtime: Runtime) -> None:
    """Bring `workspace.project_files` up to date with what lies in the workspace, in the row too."""
    seen = background.run(_look(runtime, _seen.get(workspace.pk)))
    if len(_seen) >= MOST_REMEMBERED:
        _seen.clear()
    _seen[workspace.pk] = seen
    if seen.files != workspace.project_files:
        workspace.project_files = seen.files
        Workspace.objects.filter(pk=workspace.pk).update(project_files=seen.files)


async def _look(runtime: Runtime, before: _Seen | None) -> _Seen:
    """What was seen before, when nothing changed since. Looks come before reading, so that what changes in between
    is found by the next look."""
    names = tuple(before.present) if before else ()
    found = await _stats(runtime, [*FOLDERS, *names])
    folders = tuple(map(_trace, found[: len(FOLDERS)]))
    present = dict(zip(names, map(_trace, found[len(FOLDERS) :]), strict=True))
    if before and before.folders == folders and before.present == present:
        return before
    stats = dict(zip(FILES, await _stats(runtime, FILES), strict=True))
    there = {name: stat for name, stat in stats.items() if stat.exists}
    files = [await _read(runtime, name, stat) for name, stat in there.items()]
    return _Seen(folders, {name: _trace(stat) for name, stat in there.items()}, bounded_files(files))


async def _stats(runtime: Runtime, names: Sequence[str]) -> list[FileStat]:
    return await asyncio.gather(*(runtime.stat(name) for name in names))


def _trace(stat: FileStat) -> tuple[Any, ...]:
    return stat.exists, stat.kind, stat.real_path, stat.size, stat.modified_ns


async def _read(runtime: Runtime, name: str, stat: FileStat) -> dict[str, Any]:
    """A link is not followed: it could lead to what the agent may not read, and the problem would tell of it."""
    path = RealPath(f"{WORKSPACE_ROOT}/{name}")
    if stat.real_path != path or stat.kind == "symlink":
        return broken_file(name, "It is reached through a link, and links are not read.")
    if stat.kind != "file":
        return broken_file(name, "It is not a file.")
    if stat.size > FILE_LIMIT:
        return broken_file(name, f"It has more than {FILE_LIMIT:,} bytes.")
    try:
        content = await runtime.read(path, limit=FILE_LIMIT)
    except (SandboxRefused, LimitReached) as error:
        return broken_file(name, f"It could not be read: {error.message}")
    return read_file(name, content.content)
