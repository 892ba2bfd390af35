"""What a deployment tells operators: what a sandbox was checked for, what its machine is, what it cleared away."""

from dataclasses import asdict, dataclass


@dataclass(frozen=True, slots=True)
class CheckItem:
    """One thing that the self-check looked at: what it found, and whether that is as it must be."""

    name: str
    passed: bool
    found: str


@dataclass(frozen=True, slots=True)
class CheckReport:
    """What the self-check found inside a sandbox. `kernel` and `runtime` are what it ran on."""

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
    """What nobody wanted any more and is gone now. `containers` are workspace ids, `shims` processes of containers
    that the engine no longer knows (name and pid), all others names or places of the things themselves."""

    containers: tuple[str, ...] = ()
    volumes: tuple[str, ...] = ()
    networks: tuple[str, ...] = ()
    shims: tuple[str, ...] = ()
    mounts: tuple[str, ...] = ()
    loops: tuple[str, ...] = ()

    def counts(self) -> dict[str, int]:
        """How many of each kind; kinds of which there were none are left out."""
        return {name: len(found) for name, found in asdict(self).items() if found}


@dataclass(frozen=True, slots=True)
class NodeFacts:
    """What the engine and its machine are. `remapped`: the root of a container is nobody on the host.

    `disk_driver` is empty where the deployment enforces no limit on the disk, and `disk_detail` says what it does.
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
