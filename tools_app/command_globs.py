"""The paths that globs of a command match, as bash expands them."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from typing import Final

from sandbox.ports import WORKSPACE_ROOT, FileStat, Runtime
from tools_app.permission.shell import PathUse, paths
from tools_app.touched_paths import (
    MAX_CONCURRENT,
    TouchedPaths,
    Tree,
    TreePermission,
    displayed,
    entries_of,
    for_each,
    name_of,
)

MAX_MATCHES: Final = 100  # of one glob
MAX_GLOB_CHARS: Final = 1_000  # for one name; translating an expression takes quadratic time
DASH: Final = "The name of a file begins with a dash, and may become an option."

_GLOB_CHARACTERS: Final = re.compile(r"[*?\[]")


def permission_of(use: PathUse) -> TreePermission:
    if use.mode == "write":
        return "edit"
    return "read" if use.contents else "list"


def assume_anything(use: PathUse, found: TouchedPaths) -> None:
    """Record that a path and any file below it may be touched, because neither was examined."""
    place = paths.normal(paths.fixed_part(use.path) if _GLOB_CHARACTERS.search(use.path) else use.path)
    found.of(permission_of(use)).setdefault(displayed(place))
    found.trees.setdefault(Tree(permission_of(use), displayed(place), use.only))
    if permission_of(use) == "read":  # who reads a tree sees its names
        found.trees.setdefault(Tree("list", displayed(place), use.only))


async def without_globs(uses: Sequence[PathUse], runtime: Runtime, found: TouchedPaths) -> list[PathUse]:
    """Replace globs by the paths they match. A glob without a match is kept as a literal path, as bash does."""
    plain: list[PathUse] = []
    for use in uses:
        if not use.glob:
            plain.append(use)
            continue
        matched, unlisted = await expand_known(use, runtime, found)
        if any("/-" in path for path in matched):
            found.doubts.setdefault(DASH)
        plain.extend(replace(use, path=path, glob=False) for path in matched)
        if not matched:
            plain.append(replace(use, path=use.path, glob=False))
            if paths.leaves(use.path, WORKSPACE_ROOT) and not unlisted:
                unlisted = [paths.fixed_part(use.path)]
        plain += [_anything_in(folder, use) for folder in unlisted]
    return plain


def _anything_in(folder: str, use: PathUse) -> PathUse:
    """Return the use of a folder in which a glob may match files, if these files cannot be looked up."""
    name = use.path.rpartition("/")[2]
    any_name = "[" in name or use.recursive or use.whole
    return replace(
        use, path=folder, glob=False, recursive=True, directory=True, flat=False, only=() if any_name else (name,)
    )


async def expand(use: PathUse, runtime: Runtime, found: TouchedPaths) -> list[str]:
    """Return the paths to which bash would expand a glob, as far as they are known."""
    return (await expand_known(use, runtime, found))[0]


async def expand_known(use: PathUse, runtime: Runtime, found: TouchedPaths) -> tuple[list[str], list[str]]:
    """Return the paths to which bash would expand a glob, and the folders in its path whose entries are not known."""
    parts = [part for part in use.path.split("/") if part]
    current = ["/"]
    unlisted: dict[str, None] = {}
    for index, part in enumerate(parts):
        if not _GLOB_CHARACTERS.search(part):
            current = [paths.join(folder, part) for folder in current]
            continue
        if len(current) > MAX_CONCURRENT * 2 or len(part) > MAX_GLOB_CHARS:
            found.doubts.setdefault("A glob touches too many folders to look at.")
            assume_anything(use, found)
            return [], []
        listed = await for_each(entries_of, current, runtime, found)
        unlisted |= dict.fromkeys(folder for folder in current if folder in found.unlisted)
        current = [
            paths.join(folder, name)
            for folder, entries in zip(current, listed, strict=True)
            for name in _names(entries, part, folders_only=index + 1 < len(parts))
        ]
        if len(current) > MAX_MATCHES:
            found.doubts.setdefault("A glob matches too many files to look at.")
            assume_anything(use, found)
            return current[:MAX_MATCHES], list(unlisted)
    return current, list(unlisted)


def _names(entries: Iterable[FileStat], pattern: str, *, folders_only: bool) -> list[str]:
    wanted = re.sub(r"\[\^", "[!", pattern)
    names = [name_of(entry) for entry in entries if not folders_only or entry.kind in {"directory", "symlink"}]
    if wanted.startswith("."):
        names += [".", ".."]
    return [name for name in names if fnmatchcase(name, wanted) and name.startswith(".") == wanted.startswith(".")]
