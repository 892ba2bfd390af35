"""What the workspace may use, as its container was told, and the sentences for when it is used up."""

import json
import time
from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

LIMITS_VARIABLE: Final = "SANDBOX_LIMITS"
DISK_VARIABLE: Final = "SANDBOX_DISK"
HELD_BY_FILE_SYSTEM: Final = "ext4"
"""The kind of disk whose own size is the limit; of all others what lies on it has to be counted."""
MIB: Final = 1 << 20


class Allowance(NamedTuple):
    """Named as `sandbox.limits.Limits`; 0 means that there is no such limit. `disk` is the kind of disk."""

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
    def of(cls, environment: Mapping[str, str]) -> "Allowance":
        """What is told of other limits is of no interest here. An exception when it is nonsense."""
        told = json.loads(environment.get(LIMITS_VARIABLE) or "{}")
        numbers = {name: told[name] for name in cls._fields if name in told}
        return cls(**{**numbers, "disk": environment.get(DISK_VARIABLE, "")})

    def at_most(self, name: str, asked: float, unit: float = 1) -> float:
        """What was asked for, or the limit of that name when it is smaller."""
        limit = getattr(self, name) * unit
        return min(asked, limit) if limit else asked


class Hit(NamedTuple):
    """A limit that was met; `call_id` is empty when it cannot be said which call did it."""

    kind: str
    message: str
    call_id: str
    moment: float

    def as_fields(self) -> dict[str, Any]:
        return {"kind": self.kind, "message": self.message, "call_id": self.call_id, "moment": self.moment}


def hit(kind: str, number: float, call_id: str = "") -> Hit:
    """`number`: the limit, in the unit of its sentence."""
    return Hit(kind, SENTENCES[kind](number), call_id, time.time())


SENTENCES: Final[Mapping[str, Callable[[float], str]]] = {
    "memory": lambda n: (
        f"Memory limit reached: the workspace may use {n:,.0f} MiB for all its processes and /tmp together, and a "
        "process was killed."
    ),
    "pids": lambda n: (
        f"Process limit reached: the workspace may have {n:,.0f} processes and threads, and one more was refused."
    ),
    "disk": lambda n: (
        f"Disk limit reached: the files of the workspace and the home use all of the {n:,.0f} MiB they may. "
        "Nothing more can be written until some are removed."
    ),
    "inodes": lambda n: (
        f"File limit reached: the workspace and the home hold all of the {n:,.0f} files and folders they may. "
        "No more can be made until some are removed."
    ),
    "tmp": lambda n: f"The folder /tmp is full: all of its {n:,.0f} MiB are used. Nothing more can be written there.",
    "open_files": lambda n: (
        f"Limit on open files reached: a process may have {n:,.0f} files open at once, and more were refused."
    ),
    "output": lambda n: f"Output limit reached: the command wrote more than {n:,.1f} MiB and was ended.",
    "time": lambda n: f"Time limit reached: the command ran for {n:,.0f} s and was ended.",
}
