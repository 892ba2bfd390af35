"""What a sandbox may use, what it uses, and what is said when a limit was met.

Sizes are bytes, times are seconds unless a name says otherwise.
"""

from dataclasses import dataclass
from typing import Literal

LimitKind = Literal["memory", "pids", "disk", "inodes", "tmp", "open_files", "output", "time"]


@dataclass(frozen=True, slots=True)
class Limits:
    """What one sandbox may use. `disk_mib` and `inodes` hold for /workspace and the home together.

    `open_files` is for each process, `output_mib` and `wall_seconds` for each command, `background_calls` how many
    commands may outlive the call that started them.
    """

    memory_mib: int = 1024
    cpus: float = 2.0
    pids: int = 512
    tmp_mib: int = 256
    disk_mib: int = 4096
    inodes: int = 500_000
    open_files: int = 4096
    output_mib: int = 64
    wall_seconds: int = 3600
    background_calls: int = 8


@dataclass(frozen=True, slots=True)
class LimitHit:
    """A limit that was met. `message` is a plain sentence for people and models; `call_id` is empty when it cannot be
    said which call did it; `at` is a Unix time."""

    kind: LimitKind
    message: str
    at: float
    call_id: str = ""


@dataclass(frozen=True, slots=True)
class Gauge:
    """How much of a limit is used, in its own unit; `limit` 0 means that there is none."""

    used: int
    limit: int


@dataclass(frozen=True, slots=True)
class Usage:
    """What a sandbox uses now. `cpu_seconds` is what it has used since its container started."""

    memory: Gauge
    pids: Gauge
    disk: Gauge
    inodes: Gauge
    tmp: Gauge
    cpu_seconds: float
    cpus: float
    at: float
