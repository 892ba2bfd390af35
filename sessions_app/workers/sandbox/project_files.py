"""Rules, agents, MCP servers, skills and the set-up script from a workspace's files, read when it is made ready and
checked for changes before every call.

A check is one request for the state of folders and existing files. Files are read again only if something changed.
"""

import uuid
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from asgiref.sync import sync_to_async

from agentsite.base.background import background
from sandbox.errors import LimitReached, SandboxRefused
from sandbox.ports import WORKSPACE_ROOT, FileStat, RealPath, Runtime
from sessions_app.configuration.merging import merge
from sessions_app.configured import file_levels, row_levels, rows_of
from sessions_app.configured import in_order as in_strength
from sessions_app.mcp.declared import declared_in
from sessions_app.models import Workspace
from sessions_app.workers.sandbox.markdown_files import MarkdownSearch
from sessions_app.workers.sandbox.project_agents import BASES as AGENT_BASES
from sessions_app.workers.sandbox.project_agents import MayRead, find_agents
from sessions_app.workers.sandbox.project_documents import (
    Document,
    WantedFiles,
    find_commands,
    find_instructions,
    in_order,
    plain_folders,
    read_documents,
)
from sessions_app.workers.sandbox.setup_state import SetupFinder, finder_of, store_found_setup
from tools_app.mcp.declared import FILES as DECLARING_FILES
from tools_app.permission.engine import decide
from tools_app.permission.model import Request
from tools_app.policies.current import current_policies
from tools_app.policies.project_files import FILES, MAX_FILE_BYTES, bounded_files, broken_file, file_rules, read_file
from tools_app.setup_scripts import FOLDERS as SETUP_BASES
from tools_app.setup_scripts import Setup
from tools_app.skills import BASES as SKILL_BASES
from tools_app.skills import find_skills

FOLDERS: Final = (".", ".claude", ".vscode", *AGENT_BASES)
SETUP_FOLDERS: Final = (".", ".agentsite", *SETUP_BASES)
STATS_LIMIT: Final = 1000  # paths of one request
MAX_CACHED: Final = 5000  # workspaces whose last state this process caches

Places = dict[str, tuple[Any, ...]]
"""The state of folders and files, by path."""


@dataclass(frozen=True, slots=True)
class _Read:
    """Contents of files, as columns of the workspace's row, and the paths that they depend on. The state of a path is
    recorded before it is read, so the next check notices a change in between."""

    places: Places
    columns: dict[str, Any]
    skill_folders: tuple[str, ...] = ()
    """Further folders with skills, which documents name."""


@dataclass(frozen=True, slots=True)
class SeenSetup:
    """The set-up that was found, and the paths that it depends on."""

    places: Places
    setup: Setup | None


@dataclass(frozen=True, slots=True)
class _Seen:
    """The results of the last check."""

    configuration: _Read
    skills: _Read
    setup: SeenSetup


_seen: dict[uuid.UUID, _Seen] = {}


def refresh_project_files(workspace: Workspace, runtime: Runtime, *, starting: bool = False) -> None:
    """Update the rules, agents, skills and set-up of the workspace's files, in its row and in the instance. `starting`:
    the project's settings and the image may have changed, too."""
    finder = finder_of(workspace)
    seen = background.run(_check(runtime, _seen.get(workspace.pk), _reader_of(workspace), finder, starting=starting))
    if len(_seen) >= MAX_CACHED:
        _seen.clear()
    _seen[workspace.pk] = seen
    columns = seen.configuration.columns | seen.skills.columns
    news = {name: value for name, value in columns.items() if getattr(workspace, name) != value}
    if news:
        for name, value in news.items():
            setattr(workspace, name, value)
        Workspace.objects.filter(pk=workspace.pk).update(**news)
    store_found_setup(workspace, seen.setup.setup)


def _may_read_of(workspace: Workspace) -> MayRead:
    """Return a function that says whether the agent `build` may read a file without asking."""

    def judge(path: str) -> bool:
        policies = current_policies(team_id=workspace.project.team_id, project_id=workspace.project_id)
        layers = policies.layers(agent="build", project_file=file_rules(workspace.project_files))
        return decide(Request("read", path), *layers).action == "allow"

    return sync_to_async(judge, thread_sensitive=False)


def _wanted_by(workspace: Workspace) -> Callable[[list[Document]], Awaitable[WantedFiles]]:
    """Return a function that returns which further files documents name: those among the files, and those of the site,
    the team and the project. It runs one query."""

    def read_wanted(documents: list[Document]) -> WantedFiles:
        of_files = Workspace(configuration={"documents": documents})
        levels = row_levels(rows_of(team_id=workspace.project.team_id, project_id=workspace.project_id))
        levels["file"] = file_levels(of_files)
        merged = merge(in_strength(levels))
        return WantedFiles(merged.value("instructions") or (), plain_folders(merged.value("skills", "paths") or ()))

    return sync_to_async(read_wanted, thread_sensitive=False)


@dataclass(frozen=True, slots=True)
class _Reader:
    """What reading a configuration needs to know of the workspace's project."""

    may_read: MayRead
    wanted: Callable[[list[Document]], Awaitable[WantedFiles]]


def _reader_of(workspace: Workspace) -> _Reader:
    return _Reader(_may_read_of(workspace), _wanted_by(workspace))


async def _check(
    runtime: Runtime, before: _Seen | None, reader: _Reader, find_setup: SetupFinder, *, starting: bool
) -> _Seen:
    """Read the configuration, the skills and the set-up, each only if one of its paths has changed."""
    if before is None:
        setup = await _read_setup(runtime, find_setup)
        configuration = await _read_configuration(runtime, reader)
        return _Seen(configuration, await _read_skills(runtime, configuration.skill_folders), setup)
    configuration, skills, setup = before.configuration, before.skills, before.setup
    now = await _states(runtime, [*configuration.places, *skills.places, *setup.places])
    if starting or not configuration.places.items() <= now.items():
        configuration = await _read_configuration(runtime, reader)
    is_moved = configuration.skill_folders != before.configuration.skill_folders
    if is_moved or not skills.places.items() <= now.items():
        skills = await _read_skills(runtime, configuration.skill_folders)
    if starting or not setup.places.items() <= now.items():
        setup = await _read_setup(runtime, find_setup)
    return _Seen(configuration, skills, setup)


async def _read_setup(runtime: Runtime, find_setup: SetupFinder) -> SeenSetup:
    places = await _states(runtime, SETUP_FOLDERS)
    setup, seen = await find_setup(runtime)
    return SeenSetup(places | {name: _state(stat) for name, stat in seen.items()}, setup)


async def _read_configuration(runtime: Runtime, reader: _Reader) -> _Read:
    found = await _stats(runtime, [*FOLDERS, *DECLARING_FILES])
    there = {name: found[name] for name in DECLARING_FILES if found[name].exists}
    contents = {name: await _read(runtime, name, stat) for name, stat in there.items()}
    files = [_parse(name, content) for name, content in contents.items() if name in FILES]
    configs = {name: content for name, content in contents.items() if name in FILES and isinstance(content, bytes)}
    bases = [name for name in AGENT_BASES if found[name].kind == "directory"]
    agents = await find_agents(runtime, configs, bases, reader.may_read)
    search = MarkdownSearch(runtime)
    commands = await find_commands(search, [name for name in FOLDERS if found[name].kind == "directory"])
    documents = in_order(read_documents({name: each for name, each in contents.items() if name in FILES}), commands)
    wanted = await reader.wanted(documents)
    instructions = await find_instructions(runtime, wanted.instructions, reader.may_read)
    places = {name: found[name] for name in FOLDERS} | there | agents.seen | search.seen | instructions.files.seen
    configuration = {"documents": documents, "instructions": instructions.patterns}
    columns = {
        "project_files": bounded_files(files),
        "project_agents": agents.result,
        "declared_servers": declared_in(contents),
        "configuration": {name: value for name, value in configuration.items() if value},
        "instructions": instructions.found,
    }
    return _Read({name: _state(stat) for name, stat in places.items()}, columns, wanted.skill_folders)


async def _read_skills(runtime: Runtime, further: tuple[str, ...]) -> _Read:
    bases = await _states(runtime, (*SKILL_BASES, *further))
    skills, seen = await find_skills(runtime, further)
    places = bases | {stat.path: _state(stat) for stat in seen}
    return _Read(places, {"skills": [skill.as_dict() for skill in skills]})


async def _states(runtime: Runtime, names: Sequence[str]) -> Places:
    return {name: _state(stat) for name, stat in (await _stats(runtime, names)).items()}


async def _stats(runtime: Runtime, names: Sequence[str]) -> dict[str, FileStat]:
    """Return the status of any number of paths, with one request for each thousand."""
    parts = [names[start : start + STATS_LIMIT] for start in range(0, len(names), STATS_LIMIT)]
    found = [stat for part in parts for stat in await runtime.stats(part)]
    return dict(zip(names, found, strict=True))


def _state(stat: FileStat) -> tuple[Any, ...]:
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
