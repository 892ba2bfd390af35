"""What an attempt is, and what a category of them is."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

Language = Literal["python", "bash", "c"]
Operation = Literal["", "glob", "grep", "snapshot", "diff", "list"]


@dataclass(frozen=True, slots=True)
class Probe:
    """A program that tries one thing and ends.

    Its outcome is the name of the error it met (EPERM), the signal that ended it (SIGSYS), "timeout", or its last
    word: the value of the expression in Python, the last line of output otherwise. `expect` is a regular expression
    for all of it. `as_root` is the same for the root of the container, which is what a runner would be that was taken
    over; None where that makes no sense. `hole` says why it does not hold.
    """

    id: str
    tries: str
    code: str
    expect: str
    language: Language = "python"
    as_root: str | None = None
    hole: str = ""

    def is_contained(self, outcome: str, *, root: bool = False) -> bool:
        return re.fullmatch((self.as_root or "") if root else self.expect, outcome, re.DOTALL) is not None


@dataclass(frozen=True, slots=True)
class Trap:
    """Something that is prepared inside, and shows when the service does its part.

    `setup` is run as a command; then the host asks for `operation`, whose outcome (a short text) must match `said`;
    then the last line that `evidence` prints must match `expect`.
    """

    id: str
    tries: str
    setup: str
    evidence: str
    expect: str
    operation: Operation = ""
    said: str = ".*"
    timeout: float = 10.0
    hole: str = ""

    def is_contained(self, said: str, evidence: str) -> bool:
        return bool(re.fullmatch(self.said, said, re.DOTALL) and re.fullmatch(self.expect, evidence, re.DOTALL))


@dataclass(frozen=True, slots=True)
class Shared:
    """A table of the kernel that all containers share. `hold` takes all it can get and keeps it; meanwhile the
    neighbour runs `ask`, both in Python, and gets `expect`."""

    id: str
    tries: str
    hold: str
    ask: str
    expect: str
    hole: str = ""


@dataclass(frozen=True, slots=True)
class Category:
    """`holds`: what keeps all of them in, for the report."""

    name: str
    title: str
    holds: str
    probes: Sequence[Probe] = ()
    traps: Sequence[Trap] = ()
    shared: Sequence[Shared] = ()

    @property
    def cases(self) -> tuple[Probe | Trap | Shared, ...]:
        return (*self.probes, *self.traps, *self.shared)

    @property
    def as_root(self) -> int:
        """How many are made by the container's root too."""
        return sum(probe.as_root is not None for probe in self.probes)


REFUSED = "EPERM|EACCES|EROFS"
ABSENT = "ENOENT|ENXIO|ENODEV|ENOTDIR"
NO = f"{REFUSED}|{ABSENT}|ENOSYS|ENOTSUP"
"""What kernels and runtimes say when they mean no."""
