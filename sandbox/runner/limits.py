"""The limits of the workspace, read from the container's environment, and the messages when one is reached."""

import json
import time
from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

LIMITS_VARIABLE: Final = "SANDBOX_LIMITS"
DISK_VARIABLE: Final = "SANDBOX_DISK"
EXT4_DISK: Final = "ext4"
"""The kind of disk that is as large as its limit. On any other kind the use of the disk has to be counted."""
MIB: Final = 1 << 20


class Allowance(NamedTuple):
    """The limits of the workspace, with the field names of `sandbox.limits.Limits`. 0 means unlimited. `disk` is the
    kind of disk."""

    memory_mib: int = 0
    pids: int = 0
    tmp_mib: int = 0
    disk_mib: int = 0
    inodes: int = 0
    open_files: int = 4096
    output_mib: int = 0
    wall_seconds: int = 0
    background_calls: int = 8
    cpus: float = 0.0
    disk: str = ""

    @classmethod
    def from_environment(cls, environment: Mapping[str, str]) -> "Allowance":
        """Return the limits given in environment variables. Unknown ones are ignored.

        Raises ValueError or TypeError if they are malformed.
        """
        declared = json.loads(environment.get(LIMITS_VARIABLE) or "{}")
        numbers = {name: declared[name] for name in cls._fields if name in declared}
        return cls(**{**numbers, "disk": environment.get(DISK_VARIABLE, "")})

    def capped(self, name: str, requested: float, unit: float = 1) -> float:
        """Return the requested value, or the limit of this name (times `unit`) if that is smaller."""
        limit = getattr(self, name) * unit
        return min(requested, limit) if limit else requested


class LimitHit(NamedTuple):
    """A limit of the workspace that a tool call has reached.

    `call_id` is empty if it is unknown which call reached it; `moment` is a Unix time in seconds.
    """

    kind: str
    message: str
    call_id: str
    moment: float

    def as_fields(self) -> dict[str, Any]:
        return {"kind": self.kind, "message": self.message, "call_id": self.call_id, "moment": self.moment}


def hit(kind: str, number: float, call_id: str = "") -> LimitHit:
    """Return a LimitHit with the current time. `number` is the limit, in the unit that `MESSAGES[kind]` prints."""
    return LimitHit(kind, MESSAGES[kind](number), call_id, time.time())


MESSAGES: Final[Mapping[str, Callable[[float], str]]] = {
    "memory": lambda n: (
        f"Memory limit reached: the workspace may use {n:,.0f} MiB for all its processes and /tmp together, and a "
        "process was killed."
    ),
    "pids": lambda n: (
        f"Process limit reached: a workspace may have at most {n:,.0f} processes and threads; one more was refused."
    ),
    "disk": lambda n: (
        f"Disk limit reached: the files of the workspace and the home directory use all {n:,.0f} MiB allowed. "
        "Remove some files before you write more."
    ),
    "inodes": lambda n: (
        f"File limit reached: the workspace and the home directory contain all {n:,.0f} files and folders allowed. "
        "Remove some before you create more."
    ),
    "tmp": lambda n: f"The folder /tmp is full: all of its {n:,.0f} MiB are used. Remove some files in it.",
    "open_files": lambda n: (
        f"Open file limit reached: a process may have at most {n:,.0f} files open at once, and one more was refused."
    ),
    "output": lambda n: f"Output limit reached: the command wrote more than {n:,.1f} MiB and was stopped.",
    "time": lambda n: f"Time limit reached: the command ran for {n:,.0f} s and was stopped.",
}
"""The message of each kind of limit, as a function of the limit."""
