"""Looks in the sandbox where the places lead that a command would touch: links, globs, trees with secrets in them."""

import asyncio
import re
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from typing import Final, TypeVar

from sandbox.errors import LimitReached, SandboxRefused
from sandbox.ports import WORKSPACE_ROOT, FileStat, Runtime
from tools_app.permission.shell import PathUse, paths
from tools_app.permission.shell.names import names
from tools_app.secret_paths import is_secret

MOST_PLACES: Final = 100
MOST_FOLDERS: Final = 300
MOST_ENTRIES: Final = 2_000
AT_ONCE: Final = 16
DEEPEST: Final = 12

SKIPPED: Final = frozenset(
    {".git", "node_modules", ".venv", "venv", "__pycache__", ".mypy_cache", ".ruff_cache", ".tox"}
)
"""Folders in which nobody keeps secrets of their own, and which are too large to be looked through."""

_SPECIAL: Final = re.compile(r"[*?\[]")
_IGNORE_FILES: Final = frozenset({".gitignore", ".ignore", ".rgignore"})
LONGEST_READ: Final = 65_536
_SHOWN: Final = re.compile(
    r"^!(?!(?:.*/)?\.(?:env\.(?:example|sample|template)|git\w*)\s*$)(?:.*/)?[.*?\[\\]", re.MULTILINE
)
"""A line of an ignore file that shows names which are hidden otherwise."""
_CREDENTIALS: Final = re.compile(r"://[^/\s]+@|extraheader|password|token", re.IGNORECASE)
_SOURCES: Final = names(
    "c cc cpp cs css go h hpp html java js json jsx kt lua md php pl py pyi rb rs scala scss sh sql swift toml ts tsx"
    " txt vue xml yaml yml"
)
"""Endings of names that nobody takes for secrets, whatever stands before them."""
T = TypeVar("T")
A = TypeVar("A")


@dataclass(slots=True)
class Places:
    """What was found: `outside` are `external_directory` patterns, `read` and `written` the paths inside as the file
    tools name them, `doubts` reasons why this may not be all."""

    outside: dict[str, None] = field(default_factory=dict)
    read: dict[str, None] = field(default_factory=dict)
    written: dict[str, None] = field(default_factory=dict)
    doubts: dict[str, None] = field(default_factory=dict)


async def find_places(uses: Sequence[PathUse], repositories: Sequence[str], runtime: Runtime) -> Places:
    """A few questions to the sandbox, most of them at the same time; nothing is changed."""
    found = Places()
    plain = await _without_globs(uses, runtime, found)
    if len(plain) > MOST_PLACES:
        found.doubts.setdefault("It touches too many places to look at.")
        plain = plain[:MOST_PLACES]
    await _each(_place, plain, runtime, found)
    await _each(_repository, _folders_of(repositories), runtime, found)
    return found


async def _place(use: PathUse, runtime: Runtime, found: Places) -> None:
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
        await _look_below(stat.real_path, use, runtime, found)


async def _is_folder(path: str, runtime: Runtime) -> bool:
    stat = await _stat(path, runtime)
    return stat is not None and stat.exists and stat.kind == "directory"


async def _stat(path: str, runtime: Runtime) -> FileStat | None:
    """None for what the sandbox does not look at."""
    try:
        return await runtime.stat(path)
    except (SandboxRefused, LimitReached):
        return None


async def _list(path: str, runtime: Runtime, found: Places) -> Sequence[FileStat]:
    try:
        entries = await runtime.list(path, limit=MOST_ENTRIES)
    except (SandboxRefused, LimitReached):
        return ()
    if len(entries) >= MOST_ENTRIES:
        found.doubts.setdefault("It touches a folder with too many files to look at.")
    return entries


# Globs


async def _without_globs(uses: Sequence[PathUse], runtime: Runtime, found: Places) -> list[PathUse]:
    plain: list[PathUse] = []
    for use in uses:
        if not use.glob:
            plain.append(use)
            continue
        matched = await _matches(use.path, runtime, found)
        if any("/-" in path for path in matched):
            found.doubts.setdefault("The name of a file begins with a dash, and may become an option.")
        plain.extend(replace(use, path=path, glob=False) for path in matched)
        if not matched:
            plain.append(replace(use, path=use.path, glob=False))
    return plain


async def _matches(pattern: str, runtime: Runtime, found: Places) -> list[str]:
    """The paths that bash would put in place of a glob."""
    parts = [part for part in pattern.split("/") if part]
    current = ["/"]
    for index, part in enumerate(parts):
        if not _SPECIAL.search(part):
            current = [paths.join(folder, part) for folder in current]
            continue
        if len(current) > AT_ONCE * 2:
            found.doubts.setdefault("A glob touches too many folders to look at.")
            return []
        listed = await _each(_list, current, runtime, found)
        current = [
            paths.join(folder, name)
            for folder, entries in zip(current, listed, strict=True)
            for name in _names(entries, part, folders_only=index + 1 < len(parts))
        ]
        if len(current) > MOST_PLACES:
            found.doubts.setdefault("A glob matches too many files to look at.")
            return current[:MOST_PLACES]
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


async def _look_below(top: str, use: PathUse, runtime: Runtime, found: Places) -> None:
    """Files that usually hold secrets in a tree that is read as a whole: their names are asked like any other."""
    if use.only and not use.follow and not any(map(_may_be_secret, use.only)):
        return
    waiting = [top]
    seen: set[str] = set()
    if not use.hidden:
        folders = [WORKSPACE_ROOT, *_folders_of([paths.normal(f"{top}/..")])]
        above = await _each(_list, folders, runtime, found)
        use = await _with_what_is_shown(use, [entry for each in above for entry in each], runtime)
    for _ in range(DEEPEST):
        if not waiting:
            return
        seen.update(waiting)
        if len(seen) > MOST_FOLDERS:
            break
        listed = await _each(_list, waiting, runtime, found)
        entries = [entry for each in listed for entry in each]
        use = await _with_what_is_shown(use, entries, runtime)
        await _look_at_settings(entries, use, runtime, found)
        waiting = [folder for entry in entries if (folder := _look_at(entry, use, found)) and folder not in seen]
        waiting = list(dict.fromkeys(waiting))
    if waiting:
        found.doubts.setdefault("It reads a tree with too many folders to look through for secrets.")


def _look_at(entry: FileStat, use: PathUse, found: Places) -> str:
    """Note what an entry of a tree is; the folder that it is, when that is looked into."""
    name = entry.path.rstrip("/").rpartition("/")[2]
    if not use.hidden and name.startswith("."):
        return ""
    wanted = not use.only or any(fnmatchcase(name, each) for each in use.only)
    if use.follow and wanted and not entry.inside:
        found.outside.setdefault(paths.outside_pattern(entry.real_path, directory=True))
    if entry.kind == "directory":
        return "" if name in SKIPPED else entry.real_path
    if use.contents and wanted:
        _note_secret(entry, use, found)
    return entry.real_path if use.follow and entry.kind == "symlink" and entry.inside else ""


async def _with_what_is_shown(use: PathUse, entries: Iterable[FileStat], runtime: Runtime) -> PathUse:
    """A tool that leaves out hidden files does not leave out those that an ignore file names with a `!`."""
    if use.hidden:
        return use
    for entry in entries:
        name = entry.path.rstrip("/").rpartition("/")[2]
        if name in _IGNORE_FILES and await _holds(_SHOWN, entry.path, runtime):
            return replace(use, hidden=True)
    return use


async def _look_at_settings(entries: Iterable[FileStat], use: PathUse, runtime: Runtime, found: Places) -> None:
    """A repository's settings are no secret, unless they hold a password."""
    if not (use.hidden and use.contents) or (use.only and not any(fnmatchcase("config", each) for each in use.only)):
        return
    for entry in entries:
        if entry.path.endswith("/.git") and entry.kind == "directory":
            place = f"{entry.real_path}/config"
            if await _holds(_CREDENTIALS, place, runtime):
                found.read.setdefault(_shown(place))


async def _holds(wanted: re.Pattern[str], path: str, runtime: Runtime) -> bool:
    """Whether a file holds something. One that is too long to be read may."""
    try:
        content = await runtime.read(path, limit=LONGEST_READ)
    except (SandboxRefused, LimitReached):
        return False
    return content.size > LONGEST_READ or bool(wanted.search(content.content.decode("utf-8", "replace")))


def _note_secret(entry: FileStat, use: PathUse, found: Places) -> None:
    """A link is what it leads to, for whoever follows it."""
    for place in (entry.path, entry.real_path) if use.follow else (entry.path,):
        if is_secret(_shown(place)):
            found.read.setdefault(_shown(place))


def _shown(place: str) -> str:
    return place.removeprefix(WORKSPACE_ROOT).lstrip("/")


def _may_be_secret(pattern: str) -> bool:
    """Whether a glob over names could match the name of a secret, such as `.env` or `.env.local`."""
    ending = re.search(r"\.(\w+)$", pattern)
    if ending is None or is_secret(f"x.{ending[1]}"):
        return True
    before = pattern[: ending.start()]
    return before.endswith(("*", "?")) and ending[1] not in _SOURCES


# git


def _folders_of(repositories: Iterable[str]) -> list[str]:
    """The folders in which git would look for settings, from where it runs up to the root."""
    found: dict[str, None] = {}
    for folder in repositories:
        place = paths.normal(folder)
        while paths.is_under(place, WORKSPACE_ROOT) and place != WORKSPACE_ROOT:
            found.setdefault(place)
            place = place.rpartition("/")[0]
    return list(found)


async def _repository(folder: str, runtime: Runtime, found: Places) -> None:
    stat = await _stat(f"{folder}/HEAD", runtime)
    if stat is None or stat.exists:
        found.doubts.setdefault("git would take its settings from a folder of the workspace.")


async def _each(
    ask: Callable[[T, Runtime, Places], Awaitable[A]], about: Sequence[T], runtime: Runtime, found: Places
) -> list[A]:
    """The answers in order; a few questions at the same time."""
    answers: list[A] = []
    for start in range(0, len(about), AT_ONCE):
        answers.extend(await asyncio.gather(*(ask(each, runtime, found) for each in about[start : start + AT_ONCE])))
    return answers
