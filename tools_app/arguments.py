"""What the parameters of built-in tools share: OpenCode's names outside, ours inside, and resolved places.

`Place.real` is the only path that a tool hands to the sandbox: it means the place that was judged and nothing else,
so a link that gets into it between judging and running ends the call instead of leading it elsewhere.
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
class Place:
    """A path as the sandbox resolved it. `shown` is what people, rules and models see: relative to the workspace
    root when it is inside, absolute when it is not; bytes of a name that are no text stand in it as `\\xe9`."""

    real: RealPath
    shown: str
    inside: bool
    exists: bool
    kind: FileKind
    size: int

    @property
    def directory(self) -> RealPath:
        if self.exists and self.kind == "directory":
            return self.real
        return RealPath(self.real.rpartition("/")[0] or "/")


class ToolArguments(BaseModel):
    """Unknown names are refused, so that a misspelt one is not ignored in silence. `file_path` goes for `filePath`.

    Paths are resolved once per call: what the permission engine decided on is what `run` touches, whatever happens
    to a link meanwhile.
    """

    model_config = ConfigDict(extra="forbid", alias_generator=to_camel, populate_by_name=True)

    _places: dict[str, Place] = PrivateAttr(default_factory=dict)

    async def place(self, path: str, runtime: Runtime) -> Place:
        if path not in self._places:
            self._places[path] = await resolve(path, runtime)
        return self._places[path]


async def resolve(path: str, runtime: Runtime) -> Place:
    stat = await runtime.stat(path)
    shown = _relative(stat.real_path) if stat.inside else stat.real_path
    return Place(stat.real_path, _as_text(shown), stat.inside, stat.exists, stat.kind, stat.size)


def needs_of_place(permission: str, place: Place, *, title: str, **metadata: Any) -> list[PermissionNeed]:
    """Being outside the workspace is asked first, then the thing itself.

    "Always" means this path and no other: whoever lets one `.env` pass has not let all of them pass. A path that
    looks like a wildcard offers no "always".
    """
    own = PermissionNeed(
        permission,
        (place.shown,),
        always=(place.shown,) if _means_itself(place.real) else (),
        metadata={"title": _one_line(title), "path": place.shown, **metadata},
    )
    return [*needs_of_outside(place, title=title), own]


def needs_of_places(permission: str, places: Sequence[Place], *, title: str, **metadata: Any) -> list[PermissionNeed]:
    """The same for several places at once: one question about all of them, and one for each folder outside."""
    outside = [need for place in places for need in needs_of_outside(place, title=title)]
    own = PermissionNeed(
        permission,
        tuple(dict.fromkeys(place.shown for place in places)),
        always=tuple(dict.fromkeys(place.shown for place in places if _means_itself(place.real))),
        metadata={"title": _one_line(title), **metadata},
    )
    return [*{need.patterns: need for need in outside}.values(), own]


def needs_of_outside(place: Place, *, title: str) -> list[PermissionNeed]:
    """The `external_directory` question for a place that is not in the workspace.

    "Always" means the folder where the place really lies, wherever the link to it stands; never the whole of `/`.
    """
    if place.inside:
        return []
    directory = place.directory.rstrip("/")
    pattern = f"{_as_text(directory)}/*"
    always = (pattern,) if directory and _means_itself(directory) else ()
    metadata = {"title": _one_line(title), "path": _as_text(place.real)}
    return [PermissionNeed("external_directory", (pattern,), always, metadata)]


def _relative(path: str) -> str:
    return path.removeprefix(WORKSPACE_ROOT).lstrip("/") or "."


def _means_itself(path: str) -> bool:
    """An "always" is a pattern: only a path that stands for nothing else can become one."""
    return is_literal(path) and _as_text(path) == path


def _as_text(path: str) -> str:
    """Two names that differ only in bytes that are no text must not look the same to a rule or a person."""
    return os.fsencode(path).decode("utf-8", "backslashreplace")


def _one_line(title: str) -> str:
    """A file's name must not write further lines, or anything unseen, on the card that people answer."""
    return "".join(char if char.isprintable() else ascii(char)[1:-1] for char in title)
