"""Find and read the agent files of a workspace. Called by `project_files` when something there has changed."""

import posixpath
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from sandbox.errors import LimitReached, SandboxRefused
from sandbox.ports import WORKSPACE_ROOT, FileStat, RealPath, Runtime
from sessions_app.agent.repository_agents import (
    FOLDERS,
    FileOverrides,
    included_files,
    read_config,
    read_markdown,
    unusable_file,
    with_files,
)
from tools_app.text import is_clean

BASES: Final = (".opencode", ".agentsite")
MAX_DEPTH: Final = 3  # levels of subfolders
MAX_ENTRIES: Final = 200  # of one folder
MAX_FOLDERS: Final = 50
MAX_AGENTS: Final = 100
MAX_INCLUDED_FILES: Final = 50  # files that prompts hold, of all agents together
FILE_LIMIT: Final = 65_536  # bytes of one agent's file, or of one that a prompt names
TOTAL_LIMIT: Final = 262_144  # bytes of all of them: they are loaded with the workspace for every step

MayRead = Callable[[str], Awaitable[bool]]
ProjectAgents = dict[str, Any]
"""{agents, default_agent}, as stored in `Workspace.project_agents`."""


@dataclass(slots=True)
class AgentSearch:
    """The agents found so far, and the state of every path whose change makes the result outdated."""

    runtime: Runtime
    may_read: MayRead
    room: int = TOTAL_LIMIT
    folders: int = 0
    named: int = 0
    declared: list[FileOverrides] = field(default_factory=list)
    default: str = ""
    seen: dict[str, FileStat] = field(default_factory=dict)

    @property
    def result(self) -> ProjectAgents:
        agents = self.declared[:MAX_AGENTS]
        if len(self.declared) > MAX_AGENTS:
            agents.append(unusable_file(self.declared[MAX_AGENTS]["path"], f"There are more than {MAX_AGENTS} agents."))
        return {"agents": agents, "default_agent": self.default} if agents or self.default else {}


async def find_agents(
    runtime: Runtime, configs: Mapping[str, bytes], bases: Iterable[str], may_read: MayRead
) -> AgentSearch:
    """Find the agents of a workspace.

    `configs` are the existing configuration files in order, `bases` those of BASES that are folders. `may_read` returns
    whether an agent may read a file without asking; only such files may be included in a prompt.

    The root is read first, then each folder: its configuration before its files.
    """
    search = AgentSearch(runtime, may_read)
    for path in (path for path in configs if "/" not in path):
        await _add_config(search, path, configs[path])
    for base in (base for base in BASES if base in bases):
        for path in (path for path in configs if path.startswith(f"{base}/")):
            await _add_config(search, path, configs[path])
        for folder in (f"{base}/{name}" for name in FOLDERS):
            await _add_folder(search, folder, folder, depth=0)
    return search


async def _add_config(search: AgentSearch, path: str, content: bytes) -> None:
    declared, default = read_config(path, content.decode("utf-8-sig", "replace"))
    search.default = default or search.default
    for one in declared:
        names = included_files(one)
        folder = posixpath.dirname(path)
        contents = {name: await _included_file(search, posixpath.join(folder, name)) for name in names}
        search.declared.append(with_files(one, contents))


async def _add_folder(search: AgentSearch, root: str, folder: str, *, depth: int) -> None:
    if search.folders >= MAX_FOLDERS:
        return
    (stat,) = await search.runtime.stats([folder])
    if not stat.exists:  # if it is created later, its parent folder changes
        return
    search.folders += 1
    search.seen[folder] = stat
    if not _is_own(stat, folder, "directory"):
        return
    try:
        children = await search.runtime.list(folder, limit=MAX_ENTRIES)
    except (SandboxRefused, LimitReached):
        return
    for child in children:
        name = posixpath.join(folder, posixpath.basename(child.path))
        if child.kind == "directory" and depth < MAX_DEPTH:
            await _add_folder(search, root, name, depth=depth + 1)
        elif name.endswith(".md") and is_clean(name):
            await _add_file(search, root, name)


async def _add_file(search: AgentSearch, root: str, path: str) -> None:
    if len(search.declared) > MAX_AGENTS:
        return
    text = await _text(search, path)
    problem = f"It is a link, it is larger than {FILE_LIMIT:,} bytes, or all agents together are too large."
    search.declared.append(unusable_file(path, problem) if text is None else read_markdown(root, path, text))


async def _included_file(search: AgentSearch, path: str) -> str | None:
    """Return the text of a file that a prompt includes, or None. It must lie in the workspace, and an agent must be
    allowed to read it without asking."""
    plain = posixpath.normpath(path)
    search.named += 1
    if search.named > MAX_INCLUDED_FILES or plain.startswith(("/", "..")) or not await search.may_read(plain):
        return None
    text = await _text(search, plain)
    return None if text is None else text.strip()


async def _text(search: AgentSearch, path: str) -> str | None:
    """Return the file's text, or None if it does not exist, is a link, or is too large."""
    (stat,) = await search.runtime.stats([path])
    search.seen[path] = stat
    if not _is_own(stat, path, "file") or stat.size > min(FILE_LIMIT, search.room):
        return None
    try:
        found = await search.runtime.read(RealPath(f"{WORKSPACE_ROOT}/{path}"), limit=FILE_LIMIT)
    except (SandboxRefused, LimitReached):
        return None
    search.room -= len(found.content)
    return found.content.decode("utf-8-sig", "replace")


def _is_own(stat: FileStat, path: str, kind: str) -> bool:
    """Return whether the path exists and is not reached through a link, which could lead to a file that needs
    permission."""
    return stat.exists and stat.kind == kind and stat.real_path == f"{WORKSPACE_ROOT}/{path}"
