"""The classes of hostile attempts, and the categories of attempts."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

Language = Literal["python", "bash", "c"]
Operation = Literal["", "glob", "grep", "snapshot", "diff", "list"]


@dataclass(frozen=True, slots=True)
class Probe:
    """A program that makes one attempt and ends.

    Its outcome is the name of its error (EPERM), the signal that ended it (SIGSYS), "timeout", or its result: the value
    of the last expression in Python, the last line of output otherwise. `expect` is a regular expression for the whole
    outcome. `as_root` is the regular expression for an attempt by the container's root, whose rights an attacker has
    after taking over the runner; None if that makes no sense. `hole` explains a known failure of the protection.
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
    """An attempt that is prepared inside the sandbox and takes effect when the service runs an operation.

    `setup` is run as a command; then the host calls `operation`, whose outcome (a short text) must match `said`; then
    the last line that `evidence` prints must match `expect`.
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
    """A kernel resource that all containers share. `hold` takes as much of it as possible and keeps it; meanwhile the
    neighbour runs `ask` and must get `expect`. Both are Python code."""

    id: str
    tries: str
    hold: str
    ask: str
    expect: str
    hole: str = ""


@dataclass(frozen=True, slots=True)
class Category:
    """A category of attempts. `holds` names the barriers against all of them, for the report."""

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
        """Return the number of attempts in this category that are repeated as the container's root."""
        return sum(probe.as_root is not None for probe in self.probes)


REFUSED = "EPERM|EACCES|EROFS"
ABSENT = "ENOENT|ENXIO|ENODEV|ENOTDIR"
NO = f"{REFUSED}|{ABSENT}|ENOSYS|ENOTSUP"
"""Errors with which kernels and runtimes refuse."""
