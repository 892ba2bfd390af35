"""Find and read the agent files of a workspace. `project_files` calls this module when the files have changed."""

import posixpath
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from sandbox.ports import FileReader, FileStat
from sessions_app.agent.repository_agents import (
    FOLDERS,
    FileOverrides,
    included_files,
    read_config,
    read_markdown,
    unusable_file,
    with_files,
)
from sessions_app.workers.sandbox.markdown_files import FILE_LIMIT, MarkdownSearch

BASES: Final = (".opencode", ".agentsite")
MAX_AGENTS: Final = 100
MAX_INCLUDED_FILES: Final = 50  # files that prompts hold, of all agents together

MayRead = Callable[[str], Awaitable[bool]]
ProjectAgents = dict[str, Any]
"""The agents of a workspace's files, as stored in `Workspace.project_agents`: {agents}, or {} if there are none."""


@dataclass(slots=True)
class AgentSearch:
    """A search for agents in a workspace. `declared` are the agents found so far."""

    files: MarkdownSearch
    may_read: MayRead
    named: int = 0
    declared: list[FileOverrides] = field(default_factory=list)

    @property
    def seen(self) -> dict[str, FileStat]:
        """Return the state of every file and folder on which the result of the search depends."""
        return self.files.seen

    @property
    def result(self) -> ProjectAgents:
        agents = self.declared[:MAX_AGENTS]
        if len(self.declared) > MAX_AGENTS:
            agents.append(unusable_file(self.declared[MAX_AGENTS]["path"], f"There are more than {MAX_AGENTS} agents."))
        return {"agents": agents} if agents else {}


async def find_agents(
    runtime: FileReader, configs: Mapping[str, bytes], bases: Iterable[str], may_read: MayRead
) -> AgentSearch:
    """Find the agents of a workspace.

    `configs` are the existing configuration files in order, `bases` the entries of BASES that exist as folders.
    `may_read` returns whether an agent may read a file without asking; only such files may be included in a prompt.

    Configuration files of the root are read first, then each folder: its configuration files before its Markdown files.
    """
    search = AgentSearch(MarkdownSearch(runtime), may_read)
    for path in (path for path in configs if "/" not in path):
        await _add_config(search, path, configs[path])
    for base in (base for base in BASES if base in bases):
        for path in (path for path in configs if path.startswith(f"{base}/")):
            await _add_config(search, path, configs[path])
        for folder in (f"{base}/{name}" for name in FOLDERS):
            for path in await search.files.paths_below(folder):
                await _add_file(search, folder, path)
    return search


async def _add_config(search: AgentSearch, path: str, content: bytes) -> None:
    for one in read_config(path, content.decode("utf-8-sig", "replace")):
        names = included_files(one)
        folder = posixpath.dirname(path)
        contents = {name: await _included_file(search, posixpath.join(folder, name)) for name in names}
        search.declared.append(with_files(one, contents))


async def _add_file(search: AgentSearch, root: str, path: str) -> None:
    if len(search.declared) > MAX_AGENTS:
        return
    text = await search.files.text(path)
    problem = f"It is a link, it is larger than {FILE_LIMIT:,} bytes, or all agents together are too large."
    search.declared.append(unusable_file(path, problem) if text is None else read_markdown(root, path, text))


async def _included_file(search: AgentSearch, path: str) -> str | None:
    """Return the text of a file that a prompt includes, or None. The file must lie in the workspace, and an agent must
    be allowed to read it without asking."""
    plain = posixpath.normpath(path)
    search.named += 1
    if search.named > MAX_INCLUDED_FILES or plain.startswith(("/", "..")) or not await search.may_read(plain):
        return None
    text = await search.files.text(plain)
    return None if text is None else text.strip()
