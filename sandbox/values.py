"""Value types: the specification and state of a sandbox, and the results of commands. `sandbox.ports` exports them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Literal

from sandbox.limits import LimitHit, Limits, RefusedConnection

RunEnd = Literal["exited", "timeout", "aborted", "flooded", "lost"]


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


@dataclass(frozen=True, slots=True)
class RunResult:
    """The result of a command. `output` is the tail of the output that was kept; `dropped` is the number of bytes
    before it. `exit_code` is 128+n for signal n, and -1 for a lost command. `limits` are the limits that were reached
    while it ran, `refused` the connections of the workspace's programs that were refused in that time."""

    call_id: str
    end: RunEnd
    exit_code: int
    output: bytes
    dropped: int
    started_at: float
    duration: float
    limits: tuple[LimitHit, ...] = ()
    refused: tuple[RefusedConnection, ...] = ()


@dataclass(frozen=True, slots=True)
class BackgroundCall:
    """A command that outlives the request that started it. Its `call_id` is its handle. `end` is empty while the
    command runs; `exit_code` and `duration` are only meaningful after it has ended. `seconds_left` is the time until
    its time limit. `output_bytes` counts all output, of which a tail is kept."""

    call_id: str
    command: str
    owner: str
    started_at: float
    seconds_left: float
    output_bytes: int
    end: RunEnd | Literal[""] = ""
    exit_code: int = -1
    duration: float = 0.0
    limits: tuple[LimitHit, ...] = ()

    @property
    def is_running(self) -> bool:
        return not self.end


@dataclass(frozen=True, slots=True)
class BackgroundOutput:
    """A part of a background call's output. `start` is the position of `output` in everything that the command wrote.
    If the requested position is no longer kept, `start` is greater."""

    call: BackgroundCall
    start: int
    output: bytes

    @property
    def next(self) -> int:
        """Return the position of the first byte after `output`, from which the next request continues."""
        return self.start + len(self.output)
