"""Record files that a command touches without naming them, whether they exist or not: files that git tracks or
restores, files that are unpacked, and files that are copied from another folder."""

import posixpath
from collections.abc import Iterable
from dataclasses import replace
from fnmatch import fnmatchcase
from typing import Final

from sandbox.errors import LimitReached, SandboxRefused
from sandbox.ports import WORKSPACE_ROOT, RealPath, Runtime
from tools_app.command_trees import folders_up
from tools_app.git_index import tracked_names
from tools_app.permission.shell import PathUse, paths
from tools_app.permission.wildcard import match
from tools_app.secret_paths import is_secret, is_steering
from tools_app.touched_paths import TouchedPaths, Tree, TreePermission, displayed, is_inside, stat_of

MAX_INDEX_BYTES: Final = 8 << 20
MAX_FILES: Final = 10_000  # of a working tree


async def record_unnamed(use: PathUse, permission: TreePermission, runtime: Runtime, found: TouchedPaths) -> None:
    """Record a folder in which a command touches files that a listing may miss, such as deleted files of old commits.
    The names of tracked files are read from git's index."""
    place = paths.normal(use.path)
    repository = await _repository_of(place, runtime) if use.known not in {"nothing", "made"} else None
    top = (repository or WORKSPACE_ROOT) if use.repository else place
    if use.flat and use.known == "revisions" and use.mode == "read" and await _is_file(top, runtime):
        return
    found.of(permission).setdefault(displayed(top))
    rules = found.rules.below(permission, displayed(top)) if found.rules else ()
    written = tuple(dict.fromkeys(rule.pattern for rule in rules if not rule.is_preset))
    by_preset = (use.known == "index" and permission == "edit") or (use.known == "shown" and use.contents)
    names = await _names(use, repository, top, runtime) if repository and (written or by_preset) else None
    if names is None:
        written = ()
    names = names if not use.only or names is None else [each for each in names if _is_wanted(each, use)]
    _record_hidden(names or (), written, permission, displayed(top), found)
    if by_preset:
        found.of(permission).update(dict.fromkeys(_protected(names or (), displayed(top), permission)))
    unknown = is_inside(top) and (use.known == "nothing" or (use.known == "shown" and names is None))
    found.trees.setdefault(Tree(permission, displayed(top), use.only, written, presets=unknown, flat=use.flat))
    if permission == "read" and use.contents:  # who reads a tree sees its names
        await record_unnamed(replace(use, contents=False), "list", runtime, found)


def _is_wanted(name: str, use: PathUse) -> bool:
    return any(fnmatchcase(name.rpartition("/")[2], each) for each in use.only)


async def _is_file(place: str, runtime: Runtime) -> bool:
    stat = await stat_of(place, runtime)
    return stat is not None and stat.exists and stat.kind == "file"


def _record_hidden(
    names: Iterable[str], written: Iterable[str], permission: TreePermission, folder: str, found: TouchedPaths
) -> None:
    """Record the paths in a folder that a rule asks about or denies. The folder itself was judged before."""
    start = "" if folder == "." else f"{folder}/"
    for name in names:
        hidden = name.startswith(start) and any(match(name, pattern) for pattern in written)
        if hidden and found.rules and found.rules.hiding((permission,), folder, name):
            found.of(permission).setdefault(name)


def _protected(names: Iterable[str], folder: str, permission: TreePermission) -> list[str]:
    """Return the protected paths below a folder: secrets and, for "edit", also files that control git or the rules."""
    start = "" if folder == "." else f"{folder}/"
    below = [name for name in names if name.startswith(start)]
    return [name for name in below if is_secret(name) or (permission == "edit" and is_steering(name))]


async def _names(use: PathUse, repository: str, top: str, runtime: Runtime) -> list[str] | None:
    """Return the paths of the files that git may touch, in the form that rules use; None if some are not known."""
    if use.known not in {"index", "worktree", "shown"}:
        return None
    try:
        index = await runtime.read(f"{repository}/.git/index", limit=MAX_INDEX_BYTES)
        others = await runtime.glob("**", path=top, limit=MAX_FILES) if use.known != "index" else None
    except (SandboxRefused, LimitReached):
        return None
    names = tracked_names(index.content) if index.size <= MAX_INDEX_BYTES else None
    if names is None or (others is not None and others.capped):
        return None
    tracked = [displayed(posixpath.join(repository, name)) for name in names]
    return [*tracked, *(others.paths if others else ())]


async def _repository_of(place: str, runtime: Runtime) -> str | None:
    """Return the folder of the repository that contains a path; None if there is no repository, or if its `.git` is a
    file or a link."""
    for folder in [*folders_up([place]), WORKSPACE_ROOT]:
        stat = await stat_of(f"{folder}/.git", runtime)
        if stat is not None and stat.exists:
            return RealPath(folder) if stat.kind == "directory" and stat.real_path == f"{folder}/.git" else None
    return None
