"""Value types of a sandbox's life: what it is created from, and its state. `sandbox.ports` also exports them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from sandbox.limits import Limits


@dataclass(frozen=True, slots=True)
class SandboxSpec:
    """Everything that is needed to create a sandbox. `labels` carry the team, project and workspace; housekeeping and
    operators use them to identify containers."""

    workspace_id: str
    image: str
    runtime: str = "runc"
    limits: Limits = field(default_factory=Limits)
    labels: Mapping[str, str] = field(default_factory=dict)


class SandboxState(StrEnum):
    ABSENT = "absent"
    STOPPED = "stopped"
    RUNNING = "running"
    BROKEN = "broken"


@dataclass(frozen=True, slots=True)
class SandboxStatus:
    workspace_id: str
    state: SandboxState
    detail: str = ""
