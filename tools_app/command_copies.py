"""Find the new paths of files that a command copies or moves into a folder under their old names: `cp *.csv ledger`,
`mv old new`.

Each file is judged by its new path. If there are too many names, or if they are not known yet, the strictest of the
rules that can match something below the folder decides.
"""

from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase
from typing import Final

from sandbox.ports import WORKSPACE_ROOT, FileStat, Runtime
from tools_app.permission.shell import PathUse, paths
from tools_app.permission.wildcard import match
from tools_app.secret_paths import is_secret, is_steering
from tools_app.touched_paths import (
    DASH,
    TouchedPaths,
    Tree,
    displayed,
    entries_of,
    expand_known,
    for_each,
    name_of,
    stat_of,
)

MAX_FOLDERS: Final = 300  # of a source that are listed
MAX_DEPTH: Final = 12  # levels of them
MAX_NAMES: Final = 5_000


async def record_copied(use: PathUse, source: PathUse, runtime: Runtime, found: TouchedPaths) -> None:
    """Record the new paths of files that are copied or moved from `source` to `use.path`, for the new paths that rules
    protect."""
    target = await stat_of(use.path, runtime)
    if target is None or not target.inside or paths.leaves(use.path, WORKSPACE_ROOT):
        return  # the folder itself was judged
    top = displayed(target.real_path)
    names = await _names(source, runtime, found)
    if names is None or found.rules is None:
        found.trees.setdefault(Tree("edit", top, use.only, flat=use.flat))
    written = {rule.pattern for rule in found.rules.below("edit", top) if not rule.is_preset} if found.rules else ()
    if any(name.startswith("-") or "/-" in name for name in names or ()):
        found.doubts.setdefault(DASH)
    for name in names or ():
        place = name if top == "." else f"{top}/{name}"
        hidden = any(match(place, each) for each in written) and found.rules
        if is_secret(place) or is_steering(place) or (hidden and hidden.hiding(("edit",), top, place)):
            found.written.setdefault(place)


async def _names(source: PathUse, runtime: Runtime, found: TouchedPaths) -> Sequence[str] | None:
    """Return the names that the copies of `source` may get, relative to the target; None if some are not known.

    A folder may be copied into the target, or become the target.
    """
    if source.directory:  # find chose them
        below = await _below(paths.normal(source.path), runtime, found)
        names = None if below is None else list(_chosen(below, source))
    else:
        operands, unlisted = await expand_known(source, runtime, found) if source.glob else ([source.path], [])
        names = None if unlisted else await _of_operands(operands, source, runtime, found)
    return names if names is not None and 0 < len(names) <= MAX_NAMES else None


async def _of_operands(
    operands: Iterable[str], source: PathUse, runtime: Runtime, found: TouchedPaths
) -> list[str] | None:
    names: dict[str, None] = {}
    for operand in operands:
        stat = await stat_of(operand, runtime)
        if stat is None or not stat.exists:
            return None
        own = operand.rstrip("/").rpartition("/")[2]
        names |= dict.fromkeys([own] if own not in {"", ".", ".."} else ())
        if source.recursive and stat.kind == "directory":
            below = await _below(stat.real_path, runtime, found)
            if below is None:
                return None
            names |= dict.fromkeys([*below, *(f"{own}/{each}" for each in below), own or "."])
    return list(names)


def _chosen(below: Iterable[str], source: PathUse) -> Iterable[str]:
    """Yield the new relative paths of the files that `find` selects: files whose names match the search, and everything
    in folders whose names match."""
    wanted = source.within or source.only or ("*",)
    for path in below:
        parts = path.split("/")
        first = 0 if source.within or not source.only else len(parts) - 1
        for index in range(first, len(parts)):
            if any(fnmatchcase(parts[index], each) for each in wanted):
                yield "/".join(parts[index:])


async def _below(top: str, runtime: Runtime, found: TouchedPaths) -> list[str] | None:
    """Return all paths below a folder, relative to it; None if there are too many."""
    names: list[str] = []
    waiting, seen = [(top, "")], 0
    for _ in range(MAX_DEPTH):
        seen += len(waiting)
        if not waiting or seen > MAX_FOLDERS or len(names) > MAX_NAMES:
            break
        listed = await for_each(entries_of, [place for place, _ in waiting], runtime, found)
        if any(place in found.unlisted for place, _ in waiting):
            return None
        entries = [(each, before) for (_, before), its in zip(waiting, listed, strict=True) for each in its]
        names += [before + name_of(each) for each, before in entries]
        waiting = [(each.path, f"{before}{name_of(each)}/") for each, before in entries if _is_searched(each)]
    return None if waiting else names


def _is_searched(entry: FileStat) -> bool:
    return entry.kind == "directory"
