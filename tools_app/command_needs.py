"""The permissions that a shell command needs, from the analysis of its text and from where its paths really lead: links
are followed, globs expanded, and folders searched for secrets."""

import asyncio
import re
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from pathlib import PurePosixPath
from typing import Any, Final, TypeVar

from sandbox.errors import LimitReached, SandboxRefused
from sandbox.ports import HOME, WORKSPACE_ROOT, FileStat, Runtime
from tools_app.permission.shell import PathUse, ShellAnalysis, analyze, paths
from tools_app.permission.shell.names import names
from tools_app.permission.wildcard import is_literal
from tools_app.secret_paths import is_secret
from tools_app.spec import PermissionNeed

MAX_PATHS: Final = 100  # that are examined for one command
MAX_FOLDERS: Final = 300  # that are searched for secrets below one folder
MAX_ENTRIES: Final = 2_000  # of one folder
MAX_CONCURRENT: Final = 16  # requests to the sandbox
MAX_DEPTH: Final = 12  # levels of folders that are searched for secrets

SKIPPED: Final = frozenset(
    {".git", "node_modules", ".venv", "venv", "__pycache__", ".mypy_cache", ".ruff_cache", ".tox"}
)
"""Folders that are too large to search and in which people do not keep secrets."""

_GLOB_CHARACTERS: Final = re.compile(r"[*?\[]")
_IGNORE_FILES: Final = frozenset({".gitignore", ".ignore", ".rgignore"})
MAX_BYTES_READ: Final = 65_536  # of an ignore file or of git's settings
_UNIGNORED: Final = re.compile(
    r"^!(?!(?:.*/)?\.(?:env\.(?:example|sample|template)|git\w*)\s*$)(?:.*/)?[.*?\[\\]", re.MULTILINE
)
"""A line of an ignore file that makes tools include hidden files, such as `!.env` or `!.*`."""
_CREDENTIALS: Final = re.compile(r"://[^/\s]+@|extraheader|password|token", re.IGNORECASE)
_SOURCE_EXTENSIONS: Final = names(
    "c cc cpp cs css go h hpp html java js json jsx kt lua md php pl py pyi rb rs scala scss sh sql swift toml ts tsx"
    " txt vue xml yaml yml"
)
"""Extensions of files that never count as secrets, whatever their names."""
MAX_SHOWN: Final = 50
"""Commands, and reasons, that a permission request shows. All of them are judged."""
T = TypeVar("T")
R = TypeVar("R")


@dataclass(frozen=True, slots=True)
class CommandText:
    """A command and where it runs."""

    command: str
    text: str
    """What an exact rule matches: the command, with a `cd` in front of it unless it runs in the workspace's root."""
    folder: str
    """The absolute path of the working directory."""


@dataclass(slots=True)
class TouchedPaths:
    """The paths that a command would touch. The dicts are used as ordered sets."""

    outside: dict[str, None] = field(default_factory=dict)
    """Patterns for the permission `external_directory`."""
    read: dict[str, None] = field(default_factory=dict)
    """Files inside the workspace, relative to its root."""
    written: dict[str, None] = field(default_factory=dict)
    """Files inside the workspace, relative to its root."""
    doubts: dict[str, None] = field(default_factory=dict)
    """Reasons why the list may be incomplete."""


async def needs_of_command(given: CommandText, runtime: Runtime, **metadata: Any) -> list[PermissionNeed]:
    """Return the needs of a command: folders outside the workspace, files read, files changed, the command itself.

    `metadata` is added to the need of the command.
    """
    analysis = analyze(
        given.command, cwd=PurePosixPath(given.folder), root=PurePosixPath(WORKSPACE_ROOT), home=PurePosixPath(HOME)
    )
    places = await find_touched_paths(analysis.paths, analysis.repositories, runtime)
    if places.doubts:
        analysis = replace(analysis, complete=False, always=(), reasons=(*analysis.reasons, *places.doubts))
    title = metadata.get("title", "")
    return [*_needs_of_places(analysis, places, title), _own_need(given, analysis, metadata)]


def _needs_of_places(analysis: ShellAnalysis, places: TouchedPaths, title: str) -> list[PermissionNeed]:
    outside = tuple(dict.fromkeys((*analysis.external_directories, *places.outside)))
    found = (("external_directory", outside), ("read", tuple(places.read)), ("edit", tuple(places.written)))
    return [
        PermissionNeed(permission, patterns, _grantable(permission, patterns), {"title": title})
        for permission, patterns in found
        if patterns
    ]


def _grantable(permission: str, patterns: tuple[str, ...]) -> tuple[str, ...]:
    """Return the patterns that "always" may grant: none if a path contains a wildcard character or is `/` itself."""
    plain = [each.removesuffix("/*") if permission == "external_directory" else each for each in patterns]
    return patterns if all(each and is_literal(each) for each in plain) else ()


def _own_need(given: CommandText, analysis: ShellAnalysis, metadata: dict[str, Any]) -> PermissionNeed:
    always = analysis.always
    if not analysis.complete and analysis.rememberable and is_literal(given.text):
        always = (given.text,)
    return PermissionNeed(
        "bash",
        analysis.patterns,
        always,
        {
            **metadata,
            "command": given.command,
            "text": given.text,
            "complete": analysis.complete,
            "spellings": list(analysis.spellings),
            "reasons": list(analysis.reasons[:MAX_SHOWN]),
            "commands": [each.text for each in analysis.commands[:MAX_SHOWN]],
        },
    )


async def find_touched_paths(uses: Sequence[PathUse], repositories: Sequence[str], runtime: Runtime) -> TouchedPaths:
    """Return the paths that a command would touch, according to its analysis. Reads the sandbox, changes nothing."""
    found = TouchedPaths()
    plain = await _without_globs(uses, runtime, found)
    if len(plain) > MAX_PATHS:
        found.doubts.setdefault("It touches too many places to look at.")
        plain = plain[:MAX_PATHS]
    await _for_each(_record_path, plain, runtime, found)
    await _for_each(_check_repository, _folders_of(repositories), runtime, found)
    return found


async def _record_path(use: PathUse, runtime: Runtime, found: TouchedPaths) -> None:
    """Record what one use of a path touches."""
    outside = paths.leaves(use.path, WORKSPACE_ROOT)
    stat = await _stat(paths.normal(use.path) if outside else use.path, runtime)
    if stat is None:
        found.outside.setdefault(paths.outside_pattern(use.path, directory=use.directory))
        return
    if use.into and not await _is_folder(paths.normal(use.path).rpartition("/")[0], runtime):
        return
    if not stat.inside or outside:
        folder = stat.exists and stat.kind == "directory"
        found.outside.setdefault(paths.outside_pattern(stat.real_path, directory=folder))
        if use.mode == "write":
            found.written.setdefault(stat.real_path)
        elif use.contents:
            found.read.setdefault(stat.real_path)
        return
    shown = stat.real_path.removeprefix(WORKSPACE_ROOT).lstrip("/") or "."
    if use.mode == "write":
        found.written.setdefault(shown)
        return
    if use.contents:
        found.read.setdefault(shown)
    if use.recursive and (use.contents or use.follow) and stat.kind == "directory":
        await _search_for_secrets(stat.real_path, use, runtime, found)


async def _is_folder(path: str, runtime: Runtime) -> bool:
    stat = await _stat(path, runtime)
    return stat is not None and stat.exists and stat.kind == "directory"


async def _stat(path: str, runtime: Runtime) -> FileStat | None:
    """Return the status of a path; None if the sandbox refuses to look at it."""
    try:
        return await runtime.stat(path)
    except (SandboxRefused, LimitReached):
        return None


async def _list(path: str, runtime: Runtime, found: TouchedPaths) -> Sequence[FileStat]:
    try:
        entries = await runtime.list(path, limit=MAX_ENTRIES)
    except (SandboxRefused, LimitReached):
        return ()
    if len(entries) >= MAX_ENTRIES:
        found.doubts.setdefault("It touches a folder with too many files to look at.")
    return entries


# Globs


async def _without_globs(uses: Sequence[PathUse], runtime: Runtime, found: TouchedPaths) -> list[PathUse]:
    """Replace globs by the paths they match. A glob without a match is kept as a literal path, as bash does."""
    plain: list[PathUse] = []
    for use in uses:
        if not use.glob:
            plain.append(use)
            continue
        matched = await _expand(use.path, runtime, found)
        if any("/-" in path for path in matched):
            found.doubts.setdefault("The name of a file begins with a dash, and may become an option.")
        plain.extend(replace(use, path=path, glob=False) for path in matched)
        if not matched:
            plain.append(replace(use, path=use.path, glob=False))
    return plain


async def _expand(pattern: str, runtime: Runtime, found: TouchedPaths) -> list[str]:
    """Return the paths to which bash would expand a glob."""
    parts = [part for part in pattern.split("/") if part]
    current = ["/"]
    for index, part in enumerate(parts):
        if not _GLOB_CHARACTERS.search(part):
            current = [paths.join(folder, part) for folder in current]
            continue
        if len(current) > MAX_CONCURRENT * 2:
            found.doubts.setdefault("A glob touches too many folders to look at.")
            return []
        listed = await _for_each(_list, current, runtime, found)
        current = [
            paths.join(folder, name)
            for folder, entries in zip(current, listed, strict=True)
            for name in _names(entries, part, folders_only=index + 1 < len(parts))
        ]
        if len(current) > MAX_PATHS:
            found.doubts.setdefault("A glob matches too many files to look at.")
            return current[:MAX_PATHS]
    return current


def _names(entries: Iterable[FileStat], pattern: str, *, folders_only: bool) -> list[str]:
    wanted = re.sub(r"\[\^", "[!", pattern)
    names = [
        entry.path.rstrip("/").rpartition("/")[2]
        for entry in entries
        if not folders_only or entry.kind in {"directory", "symlink"}
    ]
    if wanted.startswith("."):
        names += [".", ".."]
    return [name for name in names if fnmatchcase(name, wanted) and name.startswith(".") == wanted.startswith(".")]


# Trees


async def _search_for_secrets(top: str, use: PathUse, runtime: Runtime, found: TouchedPaths) -> None:
    """Search a folder that a command reads recursively for files that usually contain secrets, and record them as read.

    A person is then asked about their names like about any other path.
    """
    if use.only and not use.follow and not any(map(_may_be_secret, use.only)):
        return
    waiting = [top]
    seen: set[str] = set()
    if not use.hidden:
        folders = [WORKSPACE_ROOT, *_folders_of([paths.normal(f"{top}/..")])]
        above = await _for_each(_list, folders, runtime, found)
        use = await _with_unignored_files(use, [entry for each in above for entry in each], runtime)
    for _ in range(MAX_DEPTH):
        if not waiting:
            return
        seen.update(waiting)
        if len(seen) > MAX_FOLDERS:
            break
        listed = await _for_each(_list, waiting, runtime, found)
        entries = [entry for each in listed for entry in each]
        use = await _with_unignored_files(use, entries, runtime)
        await _record_git_settings(entries, use, runtime, found)
        waiting = [folder for entry in entries if (folder := _record_entry(entry, use, found)) and folder not in seen]
        waiting = list(dict.fromkeys(waiting))
    if waiting:
        found.doubts.setdefault("It reads a tree with too many folders to look through for secrets.")


def _record_entry(entry: FileStat, use: PathUse, found: TouchedPaths) -> str:
    """Record an entry of a folder. Returns its path if it is a folder that must be searched too, otherwise ""."""
    name = entry.path.rstrip("/").rpartition("/")[2]
    if not use.hidden and name.startswith("."):
        return ""
    wanted = not use.only or any(fnmatchcase(name, each) for each in use.only)
    if use.follow and wanted and not entry.inside:
        found.outside.setdefault(paths.outside_pattern(entry.real_path, directory=True))
    if entry.kind == "directory":
        return "" if name in SKIPPED else entry.real_path
    if use.contents and wanted:
        _record_secret(entry, use, found)
    return entry.real_path if use.follow and entry.kind == "symlink" and entry.inside else ""


async def _with_unignored_files(use: PathUse, entries: Iterable[FileStat], runtime: Runtime) -> PathUse:
    """Return the use with `hidden` set if an ignore file re-includes hidden files with `!`.

    Search tools such as ripgrep skip hidden files, except those.
    """
    if use.hidden:
        return use
    for entry in entries:
        name = entry.path.rstrip("/").rpartition("/")[2]
        if name in _IGNORE_FILES and await _contains(_UNIGNORED, entry.path, runtime):
            return replace(use, hidden=True)
    return use


async def _record_git_settings(
    entries: Iterable[FileStat], use: PathUse, runtime: Runtime, found: TouchedPaths
) -> None:
    """Record `.git/config` as read if it contains a password or token. Otherwise it does not count as a secret."""
    if not (use.hidden and use.contents) or (use.only and not any(fnmatchcase("config", each) for each in use.only)):
        return
    for entry in entries:
        if entry.path.endswith("/.git") and entry.kind == "directory":
            place = f"{entry.real_path}/config"
            if await _contains(_CREDENTIALS, place, runtime):
                found.read.setdefault(_displayed(place))


async def _contains(wanted: re.Pattern[str], path: str, runtime: Runtime) -> bool:
    """Return whether a file contains a match. A file that is too long to read counts as containing one."""
    try:
        content = await runtime.read(path, limit=MAX_BYTES_READ)
    except (SandboxRefused, LimitReached):
        return False
    return content.size > MAX_BYTES_READ or bool(wanted.search(content.content.decode("utf-8", "replace")))


def _record_secret(entry: FileStat, use: PathUse, found: TouchedPaths) -> None:
    """Record a file as read if it usually contains secrets. If the command follows links, the target counts too."""
    for place in (entry.path, entry.real_path) if use.follow else (entry.path,):
        if is_secret(_displayed(place)):
            found.read.setdefault(_displayed(place))


def _displayed(place: str) -> str:
    return place.removeprefix(WORKSPACE_ROOT).lstrip("/")


def _may_be_secret(pattern: str) -> bool:
    """Return whether a glob over file names could match a secret, such as `.env` or `.env.local`."""
    ending = re.search(r"\.(\w+)$", pattern)
    if ending is None or is_secret(f"x.{ending[1]}"):
        return True
    before = pattern[: ending.start()]
    return before.endswith(("*", "?")) and ending[1] not in _SOURCE_EXTENSIONS


# git


def _folders_of(repositories: Iterable[str]) -> list[str]:
    """Return the folders in which git looks for a repository, from the working directory up, without the root."""
    found: dict[str, None] = {}
    for folder in repositories:
        place = paths.normal(folder)
        while paths.is_under(place, WORKSPACE_ROOT) and place != WORKSPACE_ROOT:
            found.setdefault(place)
            place = place.rpartition("/")[0]
    return list(found)


async def _check_repository(folder: str, runtime: Runtime, found: TouchedPaths) -> None:
    """Record a doubt if the folder looks like a bare repository (has a HEAD), whose settings could run programs."""
    stat = await _stat(f"{folder}/HEAD", runtime)
    if stat is None or stat.exists:
        found.doubts.setdefault("git would take its settings from a folder of the workspace.")


async def _for_each(
    function: Callable[[T, Runtime, TouchedPaths], Awaitable[R]],
    items: Sequence[T],
    runtime: Runtime,
    found: TouchedPaths,
) -> list[R]:
    """Await `function` for each item, at most 16 at the same time. Returns the results in order."""
    results: list[R] = []
    for start in range(0, len(items), MAX_CONCURRENT):
        batch = items[start : start + MAX_CONCURRENT]
        results.extend(await asyncio.gather(*(function(each, runtime, found) for each in batch)))
    return results
