"""Read the rules, agents, MCP servers, skills and the set-up script from a workspace's files: when the workspace is
made ready, and again before a call if the files have changed.

A check for changes is one request for the state of folders and existing files.
"""

import math
import time
import uuid
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final

from asgiref.sync import sync_to_async

from agentsite.base.background import background
from sandbox.errors import LimitReached, SandboxRefused
from sandbox.ports import WORKSPACE_ROOT, FileReader, FileStat, RealPath, Runtime
from sessions_app.actions.default_agents import choose_default_agents
from sessions_app.configuration.folders import moved_below
from sessions_app.configuration.keys import is_address
from sessions_app.configuration.merging import merge
from sessions_app.configured import file_levels, row_levels, rows_of
from sessions_app.configured import in_order as in_strength
from sessions_app.mcp.declared import as_stored, declared_in
from sessions_app.models import Workspace
from sessions_app.policy import common_grants
from sessions_app.variables.given import readable_variables
from sessions_app.workers.sandbox.cursor_files import CursorFiles, find_cursor_files
from sessions_app.workers.sandbox.folder_view import FolderView
from sessions_app.workers.sandbox.instruction_addresses import AddressReader, MayFetch
from sessions_app.workers.sandbox.markdown_files import MarkdownSearch
from sessions_app.workers.sandbox.project_agents import BASES as AGENT_BASES
from sessions_app.workers.sandbox.project_agents import MayRead, find_agents
from sessions_app.workers.sandbox.project_documents import (
    Document,
    WantedFiles,
    bounded_documents,
    find_commands,
    find_instructions,
    in_order,
    plain_folders,
    read_documents,
)
from sessions_app.workers.sandbox.reference_files import (
    ReadVariables,
    Replacement,
    has_references,
    replace_references,
)
from sessions_app.workers.sandbox.setup_state import SetupFinder, finder_of, store_found_setup
from tools_app.mcp.declared import FILES as DECLARING_FILES
from tools_app.mcp.declared import DeclaredServer, read_skill
from tools_app.permission.engine import decide
from tools_app.permission.model import Request
from tools_app.policies.current import current_policies
from tools_app.policies.project_files import FILES, MAX_FILE_BYTES, bounded_files, broken_file, file_rules, read_file
from tools_app.setup_scripts import FOLDERS as SETUP_BASES
from tools_app.setup_scripts import Setup
from tools_app.skills import BASES as SKILL_BASES
from tools_app.skills import find_skills

FOLDERS: Final = (".", ".claude", ".vscode", *AGENT_BASES)
CURSOR_PLACES: Final = (".cursor", ".cursorrules")
SETUP_FOLDERS: Final = (".", ".agentsite", *SETUP_BASES)
STATS_LIMIT: Final = 1000  # paths of one request
MAX_CACHED: Final = 5000  # workspaces whose last state this process caches

Places = dict[str, tuple[Any, ...]]
"""The state of folders and files, by path."""


@dataclass(frozen=True, slots=True)
class _Read:
    """The values of workspace columns that were read from files, and the paths of these files. The state of a path is
    recorded before its file is read, so that the next check notices a change in between."""

    places: Places
    columns: dict[str, Any]
    skill_folders: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Further folders with skills that documents name, by the folder of these documents."""
    servers: tuple[DeclaredServer, ...] = ()
    """MCP servers that the files declare."""
    valid_until: float = math.inf
    """The time at which the instructions from addresses have to be read again, in seconds of the monotonic clock."""


@dataclass(frozen=True, slots=True)
class SeenSetup:
    """The set-up that was last found in the workspace's files, and the paths that it depends on."""

    places: Places
    setup: Setup | None


@dataclass(frozen=True, slots=True)
class _Seen:
    """The values read from a workspace's files when the files were last checked for changes."""

    configuration: _Read
    skills: _Read
    setup: SeenSetup
    folders: tuple[str, ...]
    columns: Mapping[str, Any]
    """The values of the columns of the workspace's row that depend on its files."""


_seen: dict[uuid.UUID, _Seen] = {}


def refresh_project_files(workspace: Workspace, runtime: Runtime, *, starting: bool = False) -> None:
    """Update the rules, agents, skills and set-up of the workspace's row and of the instance `workspace` from its
    files. With `starting`, the project's settings and the image may have changed, too."""
    finder = finder_of(workspace)
    seen = background.run(_check(runtime, _seen.get(workspace.pk), _reader_of(workspace), finder, starting=starting))
    if len(_seen) >= MAX_CACHED:
        _seen.clear()
    _seen[workspace.pk] = seen
    news = {name: value for name, value in seen.columns.items() if getattr(workspace, name) != value}
    if news:
        for name, value in news.items():
            setattr(workspace, name, value)
        Workspace.objects.filter(pk=workspace.pk).update(**news)
    if not {"configuration", "project_agents"}.isdisjoint(news):
        choose_default_agents(workspace)
    store_found_setup(workspace, seen.setup.setup)


def _may_read_of(workspace: Workspace) -> MayRead:
    """Return a function that says whether the agent `build` may read a file without asking."""

    def judge(path: str) -> bool:
        policies = current_policies(team_id=workspace.project.team_id, project_id=workspace.project_id)
        layers = policies.layers(agent="build", project_file=file_rules(workspace.project_files))
        return decide(Request("read", path), *layers).action == "allow"

    return sync_to_async(judge, thread_sensitive=False)


def _may_fetch_of(workspace: Workspace) -> MayFetch:
    """Return a function that says whether the agent `build` may fetch an address in every session without asking."""

    def judge(address: str) -> bool:
        team_id, project_id = workspace.project.team_id, workspace.project_id
        policies = current_policies(team_id=team_id, project_id=project_id)
        rules, grants = file_rules(workspace.project_files), common_grants(team_id=team_id, project_id=project_id)
        layers = policies.layers(agent="build", project_file=rules, grants=grants)
        return decide(Request("webfetch", address), *layers).action == "allow"

    return sync_to_async(judge, thread_sensitive=False)


def _wanted_by(workspace: Workspace) -> Callable[[list[Document], bool], Awaitable[WantedFiles]]:
    """Return a function that finds the additional files and addresses which the configuration documents of the
    workspace name; for its root folder, also those named by the site, the team and the project. The function runs at
    most one query."""

    def read_wanted(documents: list[Document], is_root: bool) -> WantedFiles:
        of_files = Workspace(configuration={"documents": documents})
        rows = rows_of(team_id=workspace.project.team_id, project_id=workspace.project_id) if is_root else []
        levels = row_levels(rows)
        trusted = frozenset(merge(in_strength(levels)).value("instructions") or ())
        levels["file"] = file_levels(of_files, "")
        merged = merge(in_strength(levels))
        folders = plain_folders(merged.value("skills", "paths") or ())
        return WantedFiles(merged.value("instructions") or (), trusted, folders)

    return sync_to_async(read_wanted, thread_sensitive=False)


@dataclass(frozen=True, slots=True)
class _Reader:
    """Functions that read the configuration of a workspace's project, and the folders that may contain configuration
    files."""

    may_read: MayRead
    wanted: Callable[[list[Document], bool], Awaitable[WantedFiles]]
    addresses: Callable[[], AddressReader]
    variables: ReadVariables
    folders: tuple[str, ...]
    """The workspace's root, the folders of its sessions, and the folders above these."""


def _reader_of(workspace: Workspace) -> _Reader:
    addresses = partial(_address_reader_of, workspace)
    variables = partial(_variables_of, workspace)
    return _Reader(_may_read_of(workspace), _wanted_by(workspace), addresses, variables, ("", *workspace.folders))


async def _variables_of(workspace: Workspace) -> Mapping[str, str | None]:
    team_id, project_id = workspace.project.team_id, workspace.project_id
    return await sync_to_async(readable_variables, thread_sensitive=False)(team_id=team_id, project_id=project_id)


def _address_reader_of(workspace: Workspace) -> AddressReader:
    before = {item["path"]: item["text"] for item in workspace.instructions if is_address(item["path"])}
    return AddressReader(_may_fetch_of(workspace), before)


async def _check(
    runtime: Runtime, before: _Seen | None, reader: _Reader, find_setup: SetupFinder, *, starting: bool
) -> _Seen:
    """Check a workspace's files for changes: read the configuration, the skills and the set-up, each only if one of its
    paths has changed."""
    if before is None:
        setup = await _read_setup(runtime, find_setup)
        configuration = await _read_configuration(runtime, reader)
        skills = await _read_skills(runtime, configuration.skill_folders)
        return _seen_from(configuration, skills, setup, reader.folders)
    configuration, skills, setup = before.configuration, before.skills, before.setup
    now = await _states(runtime, [*configuration.places, *skills.places, *setup.places])
    is_old = configuration.valid_until < time.monotonic()
    if starting or is_old or before.folders != reader.folders or not configuration.places.items() <= now.items():
        configuration = await _read_configuration(runtime, reader)
    is_moved = configuration.skill_folders != before.configuration.skill_folders
    if is_moved or not skills.places.items() <= now.items():
        skills = await _read_skills(runtime, configuration.skill_folders)
    if starting or not setup.places.items() <= now.items():
        setup = await _read_setup(runtime, find_setup)
    if configuration is before.configuration and skills is before.skills and setup is before.setup:
        return before
    return _seen_from(configuration, skills, setup, reader.folders)


def _seen_from(configuration: _Read, skills: _Read, setup: SeenSetup, folders: tuple[str, ...]) -> _Seen:
    servers = as_stored([*configuration.servers, *skills.servers])
    columns = {**configuration.columns, **skills.columns, "declared_servers": servers}
    return _Seen(configuration, skills, setup, folders, columns)


async def _read_setup(runtime: Runtime, find_setup: SetupFinder) -> SeenSetup:
    places = await _states(runtime, SETUP_FOLDERS)
    setup, seen = await find_setup(runtime)
    return SeenSetup(places | {name: _state(stat) for name, stat in seen.items()}, setup)


async def _read_configuration(runtime: Runtime, reader: _Reader) -> _Read:
    """Read the configuration of the workspace's root and of each folder. A folder is read as if it were the root."""
    found = [await _read_folder(_Folder(runtime, name), reader) for name in reader.folders]
    documents = bounded_documents([document for each in found for document in each.documents])
    patterns = [pattern for each in found for pattern in each.patterns]
    rules = [rule for each in found for rule in each.cursor_rules]
    configuration = {"documents": documents, "instructions": patterns, "cursor_rules": rules}
    agents = [agent for each in found for agent in each.agents]
    columns = {
        "project_files": bounded_files([file for each in found for file in each.files]),
        "project_agents": {"agents": agents} if agents else {},
        "configuration": {name: value for name, value in configuration.items() if value},
        "instructions": [text for each in found for text in each.instructions],
    }
    places = {path: state for each in found for path, state in each.places.items()}
    valid_until = time.monotonic() + min(each.seconds for each in found)
    return _Read(places, columns, {each.name: each.skill_folders for each in found}, found[0].servers, valid_until)


@dataclass(frozen=True, slots=True)
class _FolderFiles:
    """The configuration of one folder. Paths are relative to the workspace."""

    name: str
    places: Places
    files: list[dict[str, Any]]
    agents: list[dict[str, Any]]
    documents: list[dict[str, Any]]
    patterns: list[dict[str, Any]]
    instructions: list[dict[str, Any]]
    cursor_rules: list[dict[str, Any]]
    servers: tuple[DeclaredServer, ...]
    skill_folders: tuple[str, ...]
    seconds: float
    """The number of seconds for which the instructions from addresses are valid."""


class _Folder:
    """The workspace's root ("") or a folder below it, whose configuration files are read as if it were the root."""

    def __init__(self, runtime: Runtime, name: str) -> None:
        self.name = name
        self._view = FolderView(runtime, name) if name else None
        self.files: FileReader = self._view or runtime

    def states(self, seen: Iterable[tuple[str, FileStat]]) -> Places:
        """Convert file statuses of this folder to {path in the workspace: state}."""
        if self._view is None:
            return {name: _state(stat) for name, stat in seen}
        return {f"{self.name}/{name}": _state(self._view.original(stat)) for name, stat in seen}

    def moved(self, items: Iterable[Mapping[str, Any]], *names: str) -> list[dict[str, Any]]:
        return [moved_below(item, self.name, *names) for item in items]

    async def may_read(self, may_read: MayRead, path: str) -> bool:
        return await may_read(f"{self.name}/{path}" if self.name else path)


async def _read_folder(folder: _Folder, reader: _Reader) -> _FolderFiles:
    found = await _stats(folder.files, [*FOLDERS, *CURSOR_PLACES, *DECLARING_FILES])
    there = {name: found[name] for name in DECLARING_FILES if found[name].exists}
    contents = {name: await _read(folder.files, name, stat) for name, stat in there.items()}
    may_read = partial(folder.may_read, reader.may_read)
    ours = {name: content for name, content in contents.items() if name in FILES}
    replacement: Replacement | None = None
    if any(map(has_references, ours.values())):
        ours, replacement = await replace_references(ours, folder.files, may_read, reader.variables)
    files = [_parse(name, content) for name, content in ours.items()]
    configs = {name: content for name, content in ours.items() if isinstance(content, bytes)}
    bases = [name for name in AGENT_BASES if found[name].kind == "directory"]
    agents = await find_agents(folder.files, configs, bases, may_read)
    search = MarkdownSearch(folder.files)
    commands = await find_commands(search, [name for name in FOLDERS if found[name].kind == "directory"])
    documents = in_order(read_documents(ours, replacement.problems if replacement else {}), commands)
    wanted = await reader.wanted(documents, not folder.name)
    instructions = await find_instructions(folder.files, wanted.instructions, may_read)
    addresses = [each for each in wanted.instructions if is_address(each)]
    room = instructions.files.room
    fetched = await reader.addresses().read(addresses, wanted.trusted, room=room) if addresses else None
    of_cursor = await _cursor_files(folder, found, room=instructions.files.room)
    places = {name: found[name] for name in (*FOLDERS, *CURSOR_PLACES)} | there
    places |= agents.seen | search.seen | instructions.files.seen | (of_cursor.search.seen if of_cursor else {})
    places |= replacement.seen if replacement else {}
    patterns = [*instructions.patterns, *(of_cursor.problems if of_cursor else ())]
    texts = [*instructions.found, *(of_cursor.instructions if of_cursor else ())]
    return _FolderFiles(
        name=folder.name,
        places=folder.states(places.items()),
        files=folder.moved(files, "path"),
        agents=folder.moved(agents.result.get("agents", ()), "path"),
        documents=folder.moved(documents, "path"),
        patterns=[*folder.moved(patterns, "pattern"), *folder.moved(fetched.results if fetched else ())],
        instructions=[*folder.moved(texts, "path"), *folder.moved(fetched.found if fetched else ())],
        cursor_rules=folder.moved(of_cursor.rules, "path") if of_cursor else [],
        servers=tuple(declared_in(contents)),
        skill_folders=wanted.skill_folders,
        seconds=fetched.seconds if fetched else math.inf,
    )


async def _cursor_files(folder: _Folder, found: Mapping[str, FileStat], *, room: int) -> CursorFiles | None:
    """Read the Cursor rules of a folder; None if the folder has no files for Cursor."""
    if not any(found[name].exists for name in CURSOR_PLACES):
        return None
    return await find_cursor_files(folder.files, room=room)


async def _read_skills(runtime: Runtime, further: Mapping[str, tuple[str, ...]]) -> _Read:
    """Read the skills of the workspace's root and of each folder that sessions work in. `further` maps each folder to
    the additional skill folders that its documents name. MCP servers are only read from files of the root and from its
    skills."""
    servers: list[DeclaredServer] = []
    places: Places = {}
    skills: list[dict[str, Any]] = []
    for name, others in further.items():
        folder = _Folder(runtime, name)
        bases = await _stats(folder.files, (*SKILL_BASES, *others))
        found, seen = await find_skills(folder.files, others)
        places |= folder.states([*bases.items(), *((stat.path, stat) for stat in seen)])
        skills += folder.moved((skill.as_dict() for skill in found), "folder")
        servers += [each for skill in found for each in read_skill(skill.path, skill.servers) if not name]
    return _Read(places, {"skills": skills}, servers=tuple(servers))


async def _states(runtime: Runtime, names: Sequence[str]) -> Places:
    return {name: _state(stat) for name, stat in (await _stats(runtime, names)).items()}


async def _stats(runtime: FileReader, names: Sequence[str]) -> dict[str, FileStat]:
    """Return the status of any number of paths, with one request for each thousand."""
    parts = [names[start : start + STATS_LIMIT] for start in range(0, len(names), STATS_LIMIT)]
    found = [stat for part in parts for stat in await runtime.stats(part)]
    return dict(zip(names, found, strict=True))


def _state(stat: FileStat) -> tuple[Any, ...]:
    return stat.exists, stat.kind, stat.real_path, stat.size, stat.modified_ns


def _parse(name: str, content: bytes | str) -> dict[str, Any]:
    return read_file(name, content) if isinstance(content, bytes) else broken_file(name, content)


async def _read(runtime: FileReader, name: str, stat: FileStat) -> bytes | str:
    """Return the content of a file, or the reason why it is not read.

    Links are not followed: they could lead to a file that the agent may not read, and an error text could reveal its
    content.
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
