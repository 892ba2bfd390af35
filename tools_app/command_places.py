"""Find the real locations of the paths of a command: follow links, expand globs, and search folders for files that
rules protect."""

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from sandbox.ports import WORKSPACE_ROOT, FileStat, Runtime
from tools_app.command_copies import record_copied
from tools_app.command_trees import folders_up, is_above_workspace, may_have_secrets, search_tree
from tools_app.command_unnamed import record_unnamed
from tools_app.permission.shell import PathUse, paths
from tools_app.secret_paths import is_secret, is_steering
from tools_app.spec import PathRules
from tools_app.touched_paths import (
    TouchedPaths,
    Tree,
    assume_anything,
    displayed,
    entries_of,
    expand,
    for_each,
    is_inside,
    permission_of,
    stat_of,
    without_globs,
)

MAX_GLOBS: Final = 8  # among words that may be paths
MAX_PATHS: Final = 100  # that are examined for one command, and that one glob may match

_PYTHON_LINK: Final = re.compile(r"python(?:3(?:\.\d+)?)?")
_DATABASE: Final = re.compile(r"/\.git/(?:modules/.+/)?(?:objects|lfs)(?:/|$)")
"""The folders in which git stores all versions of all files, so that a command that reads there may read any of
them."""
_PYTHON: Final = re.compile(r"/usr/(?:local/)?bin/python3(?:\.\d+)?")


async def find_touched_paths(
    uses: Sequence[PathUse],
    repositories: Sequence[str],
    runtime: Runtime,
    rules: PathRules | None = None,
    possible: Sequence[str] = (),
    *,
    leads: Sequence[str] = (),
) -> TouchedPaths:
    """Return the paths that a command would touch, according to its analysis. Reads the sandbox, changes nothing.

    Of the `possible` paths, only paths that presets protect are returned. `leads` are the targets of links whose names
    are plain words of the command; only targets that presets protect or that are outside of the workspace are returned.
    With `rules`, directory trees are searched for files that these rules protect; without, only for files that presets
    protect.
    """
    found = TouchedPaths(rules)
    plain = await without_globs(uses, runtime, found)
    if len(plain) > MAX_PATHS:
        found.doubts.setdefault("It touches too many places to look at.")
        for use in plain[MAX_PATHS:]:
            assume_anything(use, found)
        plain = plain[:MAX_PATHS]
    await for_each(_record_path, plain, runtime, found)
    globs = [each for each in possible if "*" in each][:MAX_GLOBS]
    matched = [path for each in globs for path in await expand(PathUse(each, "read", glob=True), runtime, found)]
    possible = [*leads, *possible, *matched]
    if len(possible) > MAX_PATHS:
        found.doubts.setdefault("It may touch too many places to look at.")
    await for_each(_record_possible, list(possible[:MAX_PATHS]), runtime, found)
    await for_each(_record_lead, leads, runtime, found)
    await for_each(_check_repository, folders_up(repositories), runtime, found)
    if any(paths.leaves(folder, WORKSPACE_ROOT) for folder in repositories):
        found.doubts.setdefault("git would take its settings from a folder outside of the workspace.")
    return found


async def _record_path(use: PathUse, runtime: Runtime, found: TouchedPaths) -> None:
    """Record the paths that one use of a path touches. If the path leaves the workspace and returns to it, the paths
    after the return are recorded, too."""
    for place in await _ways_back(use.path, runtime):
        await _record_one(replace(use, path=place), runtime, found)
    await _record_one(use, runtime, found)


async def _record_one(use: PathUse, runtime: Runtime, found: TouchedPaths) -> None:
    if use.source is not None:
        await record_copied(use, use.source, runtime, found)
    elif use.known != "files" and not paths.leaves(use.path, WORKSPACE_ROOT):
        await record_unnamed(use, permission_of(use), runtime, found)
        if use.known in {"made", "nothing"} and not use.repository:
            await _record_behind_links(use, runtime, found)
    else:
        await _record_file(use, runtime, found)


async def _record_file(use: PathUse, runtime: Runtime, found: TouchedPaths) -> None:
    """Record a path and, if it is a folder that the command uses as a whole, the files that can be found in it."""
    outside = paths.leaves(use.path, WORKSPACE_ROOT)
    stat = await stat_of(paths.normal(use.path) if outside else use.path, runtime)
    if stat is None:
        found.outside.setdefault(paths.outside_pattern(use.path, directory=use.directory))
        return
    if await _is_not_meant(use, stat, runtime):
        return
    if not stat.inside or outside:
        await _record_outside(use, stat, runtime, found)
        if not (outside or use.by_link) and (use.recursive or use.whole) and is_above_workspace(stat):
            await search_tree(WORKSPACE_ROOT, use, permission_of(use), runtime, found)
        return
    permission = permission_of(use)
    found.of(permission).setdefault(displayed(stat.real_path))
    if permission == "read" and use.contents and _DATABASE.search(stat.real_path):
        revisions = replace(
            use, path=WORKSPACE_ROOT, glob=False, known="revisions", repository=True, flat=False, only=()
        )
        await record_unnamed(revisions, permission, runtime, found)
    if stat.kind == "directory" and (use.recursive or use.whole or use.opened):
        await search_tree(stat.real_path, use, permission, runtime, found)
    if stat.kind == "directory" and (use.opened or (use.whole and use.mode == "write")):
        await _record_filled(replace(use, path=stat.real_path, mode="write"), runtime, found)
    elif use.recursive and found.rules is None:
        assume_anything(use, found)


async def _record_behind_links(use: PathUse, runtime: Runtime, found: TouchedPaths) -> None:
    """Record the real location of a folder in which a command creates files, and the targets of the links in this
    folder, because the command may write through them."""
    stat = await stat_of(use.path, runtime)
    if stat is None or not stat.exists:
        return
    ways = [stat] if stat.real_path != paths.normal(use.path) else []
    if use.mode == "write" and stat.inside and stat.real_path != WORKSPACE_ROOT:
        ways += [each for each in await entries_of(stat.real_path, runtime, found) if each.kind == "symlink"]
    for way in ways[:MAX_PATHS]:
        if way.inside:
            await record_unnamed(replace(use, path=way.real_path), permission_of(use), runtime, found)
        else:
            await _record_outside(replace(use, path=way.real_path, whole=True), way, runtime, found)


async def _is_not_meant(use: PathUse, stat: FileStat, runtime: Runtime) -> bool:
    """Return whether a PathUse can be ignored: it only concerns a link and the path is no link, or it only concerns a
    folder that does not exist."""
    if use.by_link and not (use.recursive and use.follow) and stat.real_path == paths.normal(use.path):
        return True
    return use.into and not await _is_folder(paths.normal(use.path).rpartition("/")[0], runtime)


async def _ways_back(path: str, runtime: Runtime) -> set[str]:
    """Return the paths in the workspace to which a path returns after it has left the workspace, such as
    `/tmp/../workspace/.env`."""
    if not paths.leaves(path, WORKSPACE_ROOT):
        return set()
    stat = await stat_of(path, runtime)
    return set(filter(is_inside, (paths.normal(path), *([stat.real_path] if stat else ()))))


def _is_python_of_image(use: PathUse, stat: FileStat) -> bool:
    """Return whether a path is a link to the image's Python, as in a virtual environment. Running such a link counts as
    running `python`, and the interpreter contains nothing to protect."""
    plain = use.mode == "read" and not (use.glob or use.recursive or use.directory)
    name = use.path.rpartition("/")[2]
    return plain and bool(_PYTHON_LINK.fullmatch(name) and _PYTHON.fullmatch(stat.real_path))


async def _record_possible(path: str, runtime: Runtime, found: TouchedPaths) -> None:
    """Record a path that a command may touch, if presets protect it. It is recorded as written if it controls git or
    the rules, and as read if it may contain secrets or a rule denies reading it. A file that is read must exist."""
    place = paths.normal(path)
    stat = await stat_of(path, runtime)
    real = displayed(stat.real_path) if stat is not None else displayed(place)
    for shown in dict.fromkeys((displayed(place), real)):
        rule = found.rules.hiding(("read",), "", shown) if found.rules else None
        if (is_secret(shown) or (rule and rule.action == "deny")) and (stat is None or stat.exists):
            found.read.setdefault(shown)
        if is_steering(shown):
            found.written.setdefault(shown)


async def _record_lead(path: str, runtime: Runtime, found: TouchedPaths) -> None:
    """Record that a command reads all contents of a link's target, if the target lies outside of the workspace."""
    stat = await stat_of(path, runtime) if paths.leaves(path, WORKSPACE_ROOT) else None
    if stat is not None and is_above_workspace(stat):  # a word such as `up` rarely means all files there are
        found.outside.setdefault(paths.outside_pattern(stat.real_path, directory=True))
    elif stat is not None:
        await _record_outside(PathUse(path, "read", whole=True), stat, runtime, found)


async def _record_filled(use: PathUse, runtime: Runtime, found: TouchedPaths) -> None:
    """Record a folder in which a command changes and creates files with unknown names."""
    await search_tree(use.path, use, "edit", runtime, found)
    made = replace(use, known="made")
    await record_unnamed(made, "edit", runtime, found)
    await _record_behind_links(made, runtime, found)


async def _record_outside(use: PathUse, stat: FileStat, runtime: Runtime, found: TouchedPaths) -> None:
    if not paths.leaves(use.path, WORKSPACE_ROOT) and _is_python_of_image(use, stat):
        return
    folder = stat.exists and stat.kind == "directory"
    found.outside.setdefault(paths.outside_pattern(stat.real_path, directory=folder))
    if use.mode == "write" or use.contents:
        found.of(permission_of(use)).setdefault(stat.real_path)
    has_secrets = may_have_secrets(stat.real_path)
    if (use.recursive or use.whole) and (folder or has_secrets):
        found.trees.setdefault(Tree(permission_of(use), stat.real_path, use.only, presets=has_secrets))
    if stat.real_path == "/" and (use.recursive or use.whole) and not use.flat:  # the workspace is below it
        await _record_one(replace(use, path=WORKSPACE_ROOT), runtime, found)


async def _is_folder(path: str, runtime: Runtime) -> bool:
    stat = await stat_of(path, runtime)
    return stat is not None and stat.exists and stat.kind == "directory"


# git


async def _check_repository(folder: str, runtime: Runtime, found: TouchedPaths) -> None:
    """Record in `doubts` if the folder looks like a bare repository (it contains HEAD), because its settings could run
    programs."""
    stat = await stat_of(f"{folder}/HEAD", runtime)
    if stat is None or stat.exists:
        found.doubts.setdefault("git would take its settings from a folder of the workspace.")
