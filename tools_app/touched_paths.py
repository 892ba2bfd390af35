"""The paths that a command touches, with the queries to the sandbox that determine them and expand their globs."""

import asyncio
import re
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from typing import Any, Final, Literal, TypeVar

from sandbox.errors import LimitReached, NotFound, SandboxRefused, WrongKind
from sandbox.ports import WORKSPACE_ROOT, FileStat, Runtime
from tools_app.permission.shell import PathUse, paths
from tools_app.spec import PathRules

MAX_ENTRIES: Final = 2_000  # of one folder
MAX_CONCURRENT: Final = 16  # requests to the sandbox
MAX_MATCHES: Final = 100  # of one glob
MAX_GLOB_CHARS: Final = 1_000  # for one name; translating an expression takes quadratic time
DASH: Final = "The name of a file begins with a dash, and may become an option."
_GLOB_CHARACTERS: Final = re.compile(r"[*?\[]")
T = TypeVar("T")
R = TypeVar("R")

TreePermission = Literal["read", "edit", "list"]


@dataclass(frozen=True, slots=True)
class Tree:
    """A folder below which a command reads, changes or lists files, although its command line does not name each
    file."""

    permission: TreePermission
    folder: str
    """As rules see it: relative to the workspace's root, which is `.`, or absolute."""
    names: tuple[str, ...] = ()
    """Globs that the names of its files must match; empty: all files."""
    searched: tuple[str, ...] = ()
    """Patterns of rules whose files were searched for: the files that match are listed one by one, so the rules are not
    applied to the folder."""
    presets: bool = False
    """True if rules of presets apply too. Otherwise the files that they protect were searched for."""
    flat: bool = False
    """Only files directly in the folder."""

    def as_dict(self) -> dict[str, Any]:
        """Return the JSON form for the metadata of a permission need; `gate` reads it."""
        shown = {"folder": self.folder, "names": list(self.names), "searched": list(self.searched)}
        return {**shown, "presets": self.presets, **({"flat": True} if self.flat else {})}


@dataclass(slots=True)
class TouchedPaths:
    """The paths that a shell command would touch, by kind of use. The dicts are used as ordered sets of paths."""

    rules: PathRules | None = None
    """The rules about paths, if they are known."""
    outside: dict[str, None] = field(default_factory=dict)
    """Patterns for the permission `external_directory`."""
    read: dict[str, None] = field(default_factory=dict)
    """Files inside the workspace, relative to its root."""
    written: dict[str, None] = field(default_factory=dict)
    """Files inside the workspace, relative to its root."""
    listed: dict[str, None] = field(default_factory=dict)
    """Paths inside the workspace of which names and states are read, relative to its root."""
    trees: dict[Tree, None] = field(default_factory=dict)
    doubts: dict[str, None] = field(default_factory=dict)
    """Reasons why the list may be incomplete."""
    unlisted: dict[str, None] = field(default_factory=dict)
    """Folders whose entries are not all known, because the sandbox does not list them: they are outside, closed or too
    many."""

    def of(self, permission: TreePermission) -> dict[str, None]:
        """Return the paths to check for `permission`: the read paths for "read", the written ones for "edit", the
        listed ones for "list"."""
        return {"read": self.read, "edit": self.written, "list": self.listed}[permission]


def displayed(place: str) -> str:
    """Return an absolute path as rules show it: relative to the workspace's root if it is inside the workspace."""
    return place.removeprefix(WORKSPACE_ROOT).lstrip("/") or "." if is_inside(place) else place


def is_inside(place: str) -> bool:
    return place == WORKSPACE_ROOT or place.startswith(f"{WORKSPACE_ROOT}/")


def name_of(entry: FileStat) -> str:
    return entry.path.rstrip("/").rpartition("/")[2]


async def stat_of(path: str, runtime: Runtime) -> FileStat | None:
    """Return the status of a path; None if the sandbox refuses to read it."""
    try:
        return await runtime.stat(path)
    except (SandboxRefused, LimitReached):
        return None


async def entries_of(path: str, runtime: Runtime, found: TouchedPaths) -> Sequence[FileStat]:
    """Return the entries of a folder; empty if it does not exist. Adds the folder to `found.unlisted` if not all
    entries are known, and a reason to `found.doubts` if there are too many entries."""
    try:
        entries = await runtime.list(path, limit=MAX_ENTRIES)
    except (NotFound, WrongKind):
        return ()
    except (SandboxRefused, LimitReached):
        found.unlisted.setdefault(path)
        return ()
    if len(entries) >= MAX_ENTRIES:
        found.unlisted.setdefault(path)
        found.doubts.setdefault("It touches a folder with too many files to look at.")
    return entries


async def for_each(
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


def permission_of(use: PathUse) -> TreePermission:
    if use.mode == "write":
        return "edit"
    return "read" if use.contents else "list"


def assume_anything(use: PathUse, found: TouchedPaths) -> None:
    """Record that a command may touch a path and any file below it, because the analysis could not examine them."""
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
    """Return a PathUse of `folder` that covers every file in it that the glob of `use` may match, for a folder whose
    entries cannot be listed."""
    name = use.path.rpartition("/")[2]
    any_name = "[" in name or use.recursive or use.whole
    return replace(
        use, path=folder, glob=False, recursive=True, directory=True, flat=False, only=() if any_name else (name,)
    )


async def expand(use: PathUse, runtime: Runtime, found: TouchedPaths) -> list[str]:
    """Return the paths to which bash would expand a glob. Paths in folders whose entries are not known are left out."""
    return (await expand_known(use, runtime, found))[0]


async def expand_known(use: PathUse, runtime: Runtime, found: TouchedPaths) -> tuple[list[str], list[str]]:
    """Return the paths that bash would expand a glob to, and the folders in the glob's path whose entries are not
    known."""
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
