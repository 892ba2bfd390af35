"""What the policies say about workspaces: every limit as it holds, and whose word it is."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, Final, Literal

from sandbox.limits import Limits
from tools_app.policies.documents import SandboxOptions

Source = Literal["default", "site", "team", "project"]

LIMIT_NAMES: Final = tuple(field.name for field in fields(Limits))
"""The limits that a sandbox is made with. The other numbers are about workspaces as such."""

_OTHER_DEFAULTS: Final[Mapping[str, int]] = {"workspaces": 200, "idle_minutes": 30, "keep_days": 7}
DEFAULTS: Final[Mapping[str, float]] = {
    **{name: getattr(Limits(), name) for name in LIMIT_NAMES},
    **_OTHER_DEFAULTS,
}


@dataclass(frozen=True, slots=True)
class Limit:
    """`source` is the place whose policy says it: of equal ones the highest, "default" where none does."""

    value: float
    source: Source


@dataclass(frozen=True, slots=True)
class SandboxPolicy:
    """`values` holds every name of `DEFAULTS`. `runtime` is empty when none is named: the site's setting holds."""

    values: Mapping[str, Limit]
    runtime: str = ""
    runtime_source: Source = "default"

    @property
    def limits(self) -> Limits:
        values: dict[str, Any] = {name: self.values[name].value for name in LIMIT_NAMES}
        return Limits(**values)

    @property
    def workspaces(self) -> int:
        return int(self.values["workspaces"].value)

    @property
    def idle_minutes(self) -> int:
        return int(self.values["idle_minutes"].value)

    @property
    def keep_days(self) -> int:
        return int(self.values["keep_days"].value)


def sandbox_policy(places: Mapping[Source, SandboxOptions]) -> SandboxPolicy:
    """What the places say together, given from the highest to the lowest."""
    named: list[tuple[str, Source]] = [(said.runtime, place) for place, said in places.items() if said.runtime]
    runtime, source = next(iter(named), ("", "default"))
    return SandboxPolicy({name: _smallest(name, places) for name in DEFAULTS}, runtime, source)


def _smallest(name: str, places: Mapping[Source, SandboxOptions]) -> Limit:
    said: list[tuple[Any, Source]] = [(getattr(options, name), place) for place, options in places.items()]
    known = [Limit(value, place) for value, place in said if value is not None]
    return min(known, key=lambda limit: limit.value, default=Limit(DEFAULTS[name], "default"))
