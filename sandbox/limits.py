"""Resource limits and current usage of a sandbox, and reports of reached limits and refused connections.

Sizes are in bytes and times in seconds, unless a name states another unit.
"""

from dataclasses import dataclass
from typing import Literal

LimitKind = Literal["memory", "pids", "disk", "inodes", "tmp", "open_files", "output", "time"]


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of one sandbox."""

    memory_mib: int = 1024
    cpus: float = 2.0
    pids: int = 512
    tmp_mib: int = 256
    disk_mib: int = 4096  # /workspace and the home directory together
    inodes: int = 500_000  # /workspace and the home directory together
    open_files: int = 4096  # per process
    output_mib: int = 64  # per command
    wall_seconds: int = 3600  # per command
    background_calls: int = 8  # commands that may outlive the call that started them


@dataclass(frozen=True, slots=True)
class LimitHit:
    """A limit that was reached.

    `message` is a plain sentence for people and models. `call_id` is empty if the responsible call is unknown. `at` is
    a Unix time.
    """

    kind: LimitKind
    message: str
    at: float
    call_id: str = ""


RefusalCause = Literal["rules", "address", "unreachable"]
"""The cause of a refusal: the rules, an address that nobody may reach, or a host that does not exist or does not
answer."""


RefusedPermission = Literal["egress", "git_push"]


@dataclass(frozen=True, slots=True)
class RefusedConnection:
    """A connection, or a push to the project's repository, that the door refused. `reason` is a sentence. `may_ask`: a
    person could allow it.

    `name` is the pattern of the missing permission: the host, with the port unless it is 80 or 443, or the update of a
    push (`tools_app.permission.pushes`).
    """

    name: str
    reason: str
    may_ask: bool
    cause: RefusalCause = "rules"
    permission: RefusedPermission = "egress"


@dataclass(frozen=True, slots=True)
class Gauge:
    """The current usage of one resource and its limit, both in the same unit. A `limit` of 0 means that there is no
    limit."""

    used: int
    limit: int


@dataclass(frozen=True, slots=True)
class SandboxUsage:
    """The current resource usage of a sandbox.

    `cpu_seconds` counts from the start of its container; `at` is a Unix time.
    """

    memory: Gauge
    pids: Gauge
    disk: Gauge
    inodes: Gauge
    tmp: Gauge
    cpu_seconds: float
    cpus: float
    at: float
