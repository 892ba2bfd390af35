"""The base class of tool arguments, and resolved paths with the permissions that they need.

Models use OpenCode's parameter names (`filePath`), our code uses snake_case. Tools pass only `ResolvedPath.real` to the
sandbox, the path about which the rules have decided. If a symbolic link is put into it before the call runs, the
sandbox refuses the call instead of following the link.
"""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, ConfigDict, PrivateAttr
from pydantic.alias_generators import to_camel

from sandbox.ports import WORKSPACE_ROOT, FileKind, RealPath, Runtime
from tools_app.permission.wildcard import is_literal
from tools_app.spec import PermissionNeed


@dataclass(frozen=True, slots=True)
class ResolvedPath:
    """A path as the sandbox resolved it."""

    real: RealPath
    shown: str
    """The path for people, rules and models: relative to the workspace's root if inside it, otherwise absolute. Bytes
    that are not UTF-8 are written as `\\xe9`."""
    inside: bool
    """True if the path is inside the workspace."""
    exists: bool
    kind: FileKind
    size: int

    @property
    def directory(self) -> RealPath:
        """The path itself if it is a folder, otherwise the folder it is in."""
        if self.exists and self.kind == "directory":
            return self.real
        return RealPath(self.real.rpartition("/")[0] or "/")


class ToolArguments(BaseModel):
    """The base class of tool arguments.

    Unknown parameters are rejected, so that a misspelt one is not silently ignored. Both `filePath` and `file_path` are
    accepted. Each path is resolved once per call, so `run` uses the path that the permission engine judged, even if a
    symbolic link changes meanwhile.
    """

    model_config = ConfigDict(extra="forbid", alias_generator=to_camel, populate_by_name=True)

    _resolved: dict[str, ResolvedPath] = PrivateAttr(default_factory=dict)

    async def resolve(self, path: str, runtime: Runtime) -> ResolvedPath:
        """Resolve a path in the sandbox to a `ResolvedPath`. Later calls with the same path return the same result."""
        if path not in self._resolved:
            self._resolved[path] = await resolve(path, runtime)
        return self._resolved[path]


async def resolve(path: str, runtime: Runtime) -> ResolvedPath:
    """Resolve a path in the sandbox: relative to the workspace's root, with all symbolic links followed."""
    stat = await runtime.stat(path)
    shown = _relative(stat.real_path) if stat.inside else stat.real_path
    return ResolvedPath(stat.real_path, _as_text(shown), stat.inside, stat.exists, stat.kind, stat.size)


def needs_of_path(permission: str, target: ResolvedPath, *, title: str, **metadata: Any) -> list[PermissionNeed]:
    """Return the permissions needed to use one path: `permission` and, before it, `external_directory` if the path is
    outside the workspace.

    "Always" grants exactly this path, so that allowing one `.env` does not allow all of them. For a path with wildcard
    characters, "always" is not offered.
    """
    own = PermissionNeed(
        permission,
        (target.shown,),
        always=(target.shown,) if _matches_only_itself(target.real) else (),
        metadata={"title": _one_line(title), "path": target.shown, **metadata},
    )
    return [*needs_of_outside(target, title=title), own]


def needs_of_paths(
    permission: str, targets: Sequence[ResolvedPath], *, title: str, **metadata: Any
) -> list[PermissionNeed]:
    """Return the permissions needed to use several paths: `external_directory` for each folder outside the workspace,
    and `permission` for all paths together."""
    outside = [need for target in targets for need in needs_of_outside(target, title=title)]
    own = PermissionNeed(
        permission,
        tuple(dict.fromkeys(target.shown for target in targets)),
        always=tuple(dict.fromkeys(target.shown for target in targets if _matches_only_itself(target.real))),
        metadata={"title": _one_line(title), **metadata},
    )
    return [*{need.patterns: need for need in outside}.values(), own]


def needs_of_outside(target: ResolvedPath, *, title: str) -> list[PermissionNeed]:
    """Return the permission `external_directory`, which a path outside the workspace needs; an empty list for a path
    inside it.

    "Always" grants the folder that really contains the path, after following links. It is never offered for `/`.
    """
    if target.inside:
        return []
    directory = target.directory.rstrip("/")
    pattern = f"{_as_text(directory)}/*"
    always = (pattern,) if directory and _matches_only_itself(directory) else ()
    metadata = {"title": _one_line(title), "path": _as_text(target.real)}
    return [PermissionNeed("external_directory", (pattern,), always, metadata)]


def _relative(path: str) -> str:
    return path.removeprefix(WORKSPACE_ROOT).lstrip("/") or "."


def _matches_only_itself(path: str) -> bool:
    """Return whether the path, used as a pattern, matches only itself: no wildcards, no bytes that are not text."""
    return is_literal(path) and _as_text(path) == path


def _as_text(path: str) -> str:
    """Return the path as text, with bytes that are not UTF-8 escaped, so that different names always look different."""
    return os.fsencode(path).decode("utf-8", "backslashreplace")


def _one_line(title: str) -> str:
    """Escape unprintable characters, so that a file name cannot add lines or hidden text to a permission request."""
    return "".join(char if char.isprintable() else ascii(char)[1:-1] for char in title)
