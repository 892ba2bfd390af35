"""SandboxPolicy: the limits of a workspace that result from the policies, each with the policy that sets it."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, Final, Literal

from sandbox.limits import Limits
from tools_app.policies.documents import SandboxOptions

Source = Literal["default", "site", "team", "project"]

LIMIT_NAMES: Final = tuple(field.name for field in fields(Limits))
"""The limits that a sandbox is created with. The other numbers are about workspaces in general."""

_OTHER_DEFAULTS: Final[Mapping[str, int]] = {"workspaces": 200, "idle_minutes": 30, "keep_days": 7}
DEFAULTS: Final[Mapping[str, float]] = {
    **{name: getattr(Limits(), name) for name in LIMIT_NAMES},
    **_OTHER_DEFAULTS,
}


@dataclass(frozen=True, slots=True)
class Limit:
    """A limit and the policy that sets it: the highest one if several set the same value, "default" if none does."""

    value: float
    source: Source


@dataclass(frozen=True, slots=True)
class SandboxPolicy:
    """The resulting limits. `values` has all keys of `DEFAULTS`; with an empty `runtime` the site's setting applies."""

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
    """Combine the options of several policies, given from the highest (site) to the lowest."""
    named: list[tuple[str, Source]] = [(each.runtime, place) for place, each in places.items() if each.runtime]
    runtime, source = next(iter(named), ("", "default"))
    return SandboxPolicy({name: _smallest(name, places) for name in DEFAULTS}, runtime, source)


def _smallest(name: str, places: Mapping[Source, SandboxOptions]) -> Limit:
    declared: list[tuple[Any, Source]] = [(getattr(options, name), place) for place, options in places.items()]
    known = [Limit(value, place) for value, place in declared if value is not None]
    return min(known, key=lambda limit: limit.value, default=Limit(DEFAULTS[name], "default"))
