"""What the parameters of built-in tools share: OpenCode's names outside, ours inside, and resolved places."""

from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, ConfigDict, PrivateAttr
from pydantic.alias_generators import to_camel

from sandbox.ports import WORKSPACE_ROOT, FileKind, Runtime
from tools_app.permission.wildcard import is_literal
from tools_app.spec import PermissionNeed


@dataclass(frozen=True, slots=True)
class Place:
    """A path as the sandbox resolved it. `shown` is what people, rules and models see: relative to the workspace
    root when it is inside, absolute when it is not."""

    real: str
    shown: str
    inside: bool
    exists: bool
    kind: FileKind
    size: int

    @property
    def directory(self) -> str:
        return self.real if self.exists and self.kind == "directory" else self.real.rpartition("/")[0]


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
    return Place(stat.real_path, shown, stat.inside, stat.exists, stat.kind, stat.size)


def needs_of_place(permission: str, place: Place, *, title: str, **metadata: Any) -> list[PermissionNeed]:
    """Being outside the workspace is asked first, then the thing itself.

    "Always" means this path and no other: whoever lets one `.env` pass has not let all of them pass. A path that
    looks like a wildcard offers no "always".
    """
    own = PermissionNeed(
        permission,
        (place.shown,),
        always=(place.shown,) if is_literal(place.shown) else (),
        metadata={"title": title, "path": place.shown, **metadata},
    )
    return [*needs_of_outside(place, title=title), own]


def needs_of_outside(place: Place, *, title: str) -> list[PermissionNeed]:
    """The `external_directory` question for a place that is not in the workspace."""
    if place.inside:
        return []
    pattern = f"{place.directory.rstrip('/')}/*"
    always = (pattern,) if is_literal(place.directory) else ()
    return [PermissionNeed("external_directory", (pattern,), always, {"title": title, "path": place.real})]


def _relative(path: str) -> str:
    return path.removeprefix(WORKSPACE_ROOT).lstrip("/") or "."
