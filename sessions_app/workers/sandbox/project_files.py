"""Rules and agents from a workspace's files, read when it is made ready and checked for changes before every call.

A check is a few parallel stat requests for folders and existing files. The files are read again only if something
changed.
"""

import uuid
from dataclasses import dataclass
from typing import Any, Final

from asgiref.sync import sync_to_async

from agentsite.base.background import background
from sandbox.errors import LimitReached, SandboxRefused
from sandbox.ports import WORKSPACE_ROOT, FileStat, RealPath, Runtime
from sessions_app.models import Workspace
from sessions_app.workers.sandbox.project_agents import BASES, MayRead, ProjectAgents, find_agents, stats
from tools_app.permission.engine import decide
from tools_app.permission.model import Request
from tools_app.policies.current import current_policies
from tools_app.policies.project_files import FILES, MAX_FILE_BYTES, bounded_files, broken_file, file_rules, read_file

FOLDERS: Final = (".", ".opencode", ".agentsite")
MAX_CACHED: Final = 5000  # workspaces whose last state this process caches

Fingerprints = tuple[tuple[Any, ...], ...]
Files = list[dict[str, Any]]


@dataclass(frozen=True, slots=True)
class _Seen:
    """The state of folders and files at the last check, and the contents read then."""

    folders: Fingerprints
    present: dict[str, tuple[Any, ...]]
    files: Files
    agents: ProjectAgents


_seen: dict[uuid.UUID, _Seen] = {}


def refresh_project_files(workspace: Workspace, runtime: Runtime) -> None:
    """Update the rules and agents of the workspace's files, in its row and in the instance."""
    seen = background.run(_check(runtime, _seen.get(workspace.pk), _reader_of(workspace)))
    if len(_seen) >= MAX_CACHED:
        _seen.clear()
    _seen[workspace.pk] = seen
    if seen.files != workspace.project_files or seen.agents != workspace.project_agents:
        workspace.project_files, workspace.project_agents = seen.files, seen.agents
        rows = Workspace.objects.filter(pk=workspace.pk)
        rows.update(project_files=seen.files, project_agents=seen.agents)


def _reader_of(workspace: Workspace) -> MayRead:
    """Return a function that says whether the agent `build` may read a file without asking."""

    def judge(path: str) -> bool:
        policies = current_policies(team_id=workspace.project.team_id, project_id=workspace.project_id)
        layers = policies.layers(agent="build", project_file=file_rules(workspace.project_files))
        return decide(Request("read", path), *layers).action == "allow"

    return sync_to_async(judge, thread_sensitive=False)


async def _check(runtime: Runtime, before: _Seen | None, may_read: MayRead) -> _Seen:
    """Return `before` if nothing changed, otherwise the new state. State is recorded before reading, so a change in
    between is noticed by the next check."""
    names = tuple(before.present) if before else ()
    found = await stats(runtime, [*FOLDERS, *names])
    folders = tuple(map(_fingerprint, found[: len(FOLDERS)]))
    present = dict(zip(names, map(_fingerprint, found[len(FOLDERS) :]), strict=True))
    if before and before.folders == folders and before.present == present:
        return before
    there = {name: stat for name, stat in zip(FILES, await stats(runtime, FILES), strict=True) if stat.exists}
    contents = {name: await _read(runtime, name, stat) for name, stat in there.items()}
    files = [_parse(name, content) for name, content in contents.items()]
    configs = {name: content for name, content in contents.items() if isinstance(content, bytes)}
    bases = [name for name, stat in zip(FOLDERS, found, strict=False) if name in BASES and stat.kind == "directory"]
    agents = await find_agents(runtime, configs, bases, may_read)
    present = {name: _fingerprint(stat) for name, stat in (there | agents.seen).items()}
    return _Seen(folders, present, bounded_files(files), agents.result)


def _fingerprint(stat: FileStat) -> tuple[Any, ...]:
    return stat.exists, stat.kind, stat.real_path, stat.size, stat.modified_ns


def _parse(name: str, content: bytes | str) -> dict[str, Any]:
    return read_file(name, content) if isinstance(content, bytes) else broken_file(name, content)


async def _read(runtime: Runtime, name: str, stat: FileStat) -> bytes | str:
    """Return the content, or the reason why it is not read.

    Links are not followed: they could lead to a file that the agent may not read, and an error text could reveal it.
    """
    path = RealPath(f"{WORKSPACE_ROOT}/{name}")
    if stat.real_path != path or stat.kind == "symlink":
        return "It is reached through a link. Links are not followed."
    if stat.kind != "file":
        return "It is not a file."
    if stat.size > MAX_FILE_BYTES:
        return f"It is larger than {MAX_FILE_BYTES:,} bytes."
    try:
        content = await runtime.read(path, limit=MAX_FILE_BYTES)
    except (SandboxRefused, LimitReached) as error:
        return f"It could not be read: {error.message}"
    return content.content
