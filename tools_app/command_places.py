"""Where the paths of a command really lead: links are followed, globs expanded, and folders searched for files that
rules protect."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from typing import Final

from sandbox.ports import WORKSPACE_ROOT, FileStat, Runtime
from tools_app.command_trees import folders_up, search_tree
from tools_app.command_unnamed import record_unnamed
from tools_app.permission.shell import PathUse, paths
from tools_app.secret_paths import is_secret, is_steering
from tools_app.spec import PathRules
from tools_app.touched_paths import (
    MAX_CONCURRENT,
    TouchedPaths,
    Tree,
    TreePermission,
    displayed,
    entries_of,
    for_each,
    name_of,
    stat_of,
)

MAX_PATHS: Final = 100  # that are examined for one command

_GLOB_CHARACTERS: Final = re.compile(r"[*?\[]")


async def find_touched_paths(
    uses: Sequence[PathUse],
    repositories: Sequence[str],
    runtime: Runtime,
    rules: PathRules | None = None,
    possible: Sequence[str] = (),
) -> TouchedPaths:
    """Return the paths that a command would touch, according to its analysis. Reads the sandbox, changes nothing.

    Of the `possible` paths, only those count that presets protect. With `rules`, the trees are searched for files that
    these protect. Without, only for files that presets protect.
    """
    found = TouchedPaths(rules)
    plain = await _without_globs(uses, runtime, found)
    if len(plain) > MAX_PATHS:
        found.doubts.setdefault("It touches too many places to look at.")
        for use in plain[MAX_PATHS:]:
            _assume_anything(use, found)
        plain = plain[:MAX_PATHS]
    await for_each(_record_path, plain, runtime, found)
    if len(possible) > MAX_PATHS:
        found.doubts.setdefault("It may touch too many places to look at.")
    await for_each(_record_possible, list(possible[:MAX_PATHS]), runtime, found)
    await for_each(_check_repository, folders_up(repositories), runtime, found)
    if any(paths.leaves(folder, WORKSPACE_ROOT) for folder in repositories):
        found.doubts.setdefault("git would take its settings from a folder outside of the workspace.")
    return found


def permission_of(use: PathUse) -> TreePermission:
    if use.mode == "write":
        return "edit"
    return "read" if use.contents else "list"


async def _record_path(use: PathUse, runtime: Runtime, found: TouchedPaths) -> None:
    """Record what one use of a path touches."""
    if use.known != "files" and not paths.leaves(use.path, WORKSPACE_ROOT):
        await record_unnamed(use, permission_of(use), runtime, found)
        return
    outside = paths.leaves(use.path, WORKSPACE_ROOT)
    stat = await stat_of(paths.normal(use.path) if outside else use.path, runtime)
    if stat is None:
        found.outside.setdefault(paths.outside_pattern(use.path, directory=use.directory))
        return
    if use.into and not await _is_folder(paths.normal(use.path).rpartition("/")[0], runtime):
        return
    if not stat.inside or outside:
        _record_outside(use, stat, found)
        return
    permission = permission_of(use)
    found.of(permission).setdefault(displayed(stat.real_path))
    if use.recursive and stat.kind == "directory":
        await search_tree(stat.real_path, use, permission, runtime, found)
    elif use.recursive and found.rules is None:
        _assume_anything(use, found)


async def _record_possible(path: str, runtime: Runtime, found: TouchedPaths) -> None:
    """Record a path that a command may touch, if presets protect it: as read if it has secrets, as written if it
    controls git or the rules. A file with secrets must exist to be read.
    """
    place = paths.normal(path)
    stat = await stat_of(path, runtime)
    real = displayed(stat.real_path) if stat is not None else displayed(place)
    for shown in dict.fromkeys((displayed(place), real)):
        if is_secret(shown) and (stat is None or stat.exists):
            found.read.setdefault(shown)
        if is_steering(shown):
            found.written.setdefault(shown)


def _record_outside(use: PathUse, stat: FileStat, found: TouchedPaths) -> None:
    folder = stat.exists and stat.kind == "directory"
    found.outside.setdefault(paths.outside_pattern(stat.real_path, directory=folder))
    if use.mode == "write" or use.contents:
        found.of(permission_of(use)).setdefault(stat.real_path)
    if use.recursive and folder:
        found.trees.setdefault(Tree(permission_of(use), stat.real_path, use.only))


def _assume_anything(use: PathUse, found: TouchedPaths) -> None:
    """Record that any file below a path may be touched, and the path itself: neither was looked at."""
    place = paths.normal(paths.fixed_part(use.path) if _GLOB_CHARACTERS.search(use.path) else use.path)
    found.of(permission_of(use)).setdefault(displayed(place))
    found.trees.setdefault(Tree(permission_of(use), displayed(place), use.only))


async def _is_folder(path: str, runtime: Runtime) -> bool:
    stat = await stat_of(path, runtime)
    return stat is not None and stat.exists and stat.kind == "directory"


# Globs


async def _without_globs(uses: Sequence[PathUse], runtime: Runtime, found: TouchedPaths) -> list[PathUse]:
    """Replace globs by the paths they match. A glob without a match is kept as a literal path, as bash does."""
    plain: list[PathUse] = []
    for use in uses:
        if not use.glob:
            plain.append(use)
            continue
        matched = await _expand(use, runtime, found)
        if any("/-" in path for path in matched):
            found.doubts.setdefault("The name of a file begins with a dash, and may become an option.")
        plain.extend(replace(use, path=path, glob=False) for path in matched)
        if not matched:
            plain.append(replace(use, path=use.path, glob=False))
    return plain


async def _expand(use: PathUse, runtime: Runtime, found: TouchedPaths) -> list[str]:
    """Return the paths to which bash would expand a glob."""
    parts = [part for part in use.path.split("/") if part]
    current = ["/"]
    for index, part in enumerate(parts):
        if not _GLOB_CHARACTERS.search(part):
            current = [paths.join(folder, part) for folder in current]
            continue
        if len(current) > MAX_CONCURRENT * 2:
            found.doubts.setdefault("A glob touches too many folders to look at.")
            _assume_anything(use, found)
            return []
        listed = await for_each(entries_of, current, runtime, found)
        current = [
            paths.join(folder, name)
            for folder, entries in zip(current, listed, strict=True)
            for name in _names(entries, part, folders_only=index + 1 < len(parts))
        ]
        if len(current) > MAX_PATHS:
            found.doubts.setdefault("A glob matches too many files to look at.")
            _assume_anything(use, found)
            return current[:MAX_PATHS]
    return current


def _names(entries: Iterable[FileStat], pattern: str, *, folders_only: bool) -> list[str]:
    wanted = re.sub(r"\[\^", "[!", pattern)
    names = [name_of(entry) for entry in entries if not folders_only or entry.kind in {"directory", "symlink"}]
    if wanted.startswith("."):
        names += [".", ".."]
    return [name for name in names if fnmatchcase(name, wanted) and name.startswith(".") == wanted.startswith(".")]


# git


async def _check_repository(folder: str, runtime: Runtime, found: TouchedPaths) -> None:
    """Record a doubt if the folder looks like a bare repository (has a HEAD), whose settings could run programs."""
    stat = await stat_of(f"{folder}/HEAD", runtime)
    if stat is None or stat.exists:
        found.doubts.setdefault("git would take its settings from a folder of the workspace.")
