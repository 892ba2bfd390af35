"""Reports for operators: self-check results, removed leftovers, and facts about a node."""

from dataclasses import asdict, dataclass


@dataclass(frozen=True, slots=True)
class CheckItem:
    """One item of the self-check: the state that was found, and whether the sandbox passes."""

    name: str
    passed: bool
    found: str


@dataclass(frozen=True, slots=True)
class CheckReport:
    """The result of a self-check inside a sandbox.

    `runtime` and `kernel` are the sandbox's own; `at` is a Unix time.
    """

    passed: bool
    runtime: str
    kernel: str
    items: tuple[CheckItem, ...]
    at: float

    @property
    def failures(self) -> tuple[CheckItem, ...]:
        return tuple(item for item in self.items if not item.passed)


@dataclass(frozen=True, slots=True)
class Reaped:
    """Leftovers that were removed.

    `containers` are workspace ids. `shims` are processes ("name pid") of containers that the engine no longer knows.
    All other fields hold the names or paths of the removed objects.
    """

    containers: tuple[str, ...] = ()
    volumes: tuple[str, ...] = ()
    networks: tuple[str, ...] = ()
    shims: tuple[str, ...] = ()
    mounts: tuple[str, ...] = ()
    loops: tuple[str, ...] = ()

    def counts(self) -> dict[str, int]:
        """Return the number of removed objects of each kind. Kinds without removed objects are left out."""
        return {name: len(found) for name, found in asdict(self).items() if found}


@dataclass(frozen=True, slots=True)
class NodeFacts:
    """Facts about a container engine and its machine.

    `remapped` is true if root in a container is an unprivileged user on the host. `disk_driver` is empty if the
    deployment enforces no disk limit; `disk_detail` explains what is enforced.
    """

    engine: str
    version: str
    kernel: str
    runtimes: tuple[str, ...]
    remapped: bool
    cpus: int
    memory_bytes: int
    disk_driver: str = ""
    disk_detail: str = ""
