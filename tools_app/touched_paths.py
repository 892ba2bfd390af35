"""The paths that a command would touch, and queries to the sandbox about them."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal, TypeVar

from sandbox.errors import LimitReached, NotFound, SandboxRefused, WrongKind
from sandbox.ports import WORKSPACE_ROOT, FileStat, Runtime
from tools_app.spec import PathRules

MAX_ENTRIES: Final = 2_000  # of one folder
MAX_CONCURRENT: Final = 16  # requests to the sandbox
T = TypeVar("T")
R = TypeVar("R")

TreePermission = Literal["read", "edit", "list"]


@dataclass(frozen=True, slots=True)
class Tree:
    """A folder below which a command reads, changes or lists files that were not named."""

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
    """The paths that a command would touch. The dicts are used as ordered sets."""

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
        """Return the paths that need a permission."""
        return {"read": self.read, "edit": self.written, "list": self.listed}[permission]


def displayed(place: str) -> str:
    """Return an absolute path in the form that rules use."""
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
    """Return the entries of a folder; nothing if it does not exist. Records the folder in `unlisted` if not all entries
    are known, and adds a reason to `doubts` if there are too many."""
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
