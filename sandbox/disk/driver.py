"""What a way of limiting disk use has to do, and the values it answers with."""

from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal, Protocol

from sandbox.disk.folders import Folders
from sandbox.errors import SandboxUnavailable
from sandbox.limits import Limits

DriverName = Literal["ext4", "btrfs", "soft"]
MIB: Final = 1 << 20
RUNNER_MIB: Final = 512
"""The runner's own disk: its journal takes up to 128 MiB while it is compacted, snapshots have the rest, and leave the
journal's share alone (`sandbox.runner.snapshots`)."""
RUNNER_INODES: Final = 200_000


class DiskUnusable(SandboxUnavailable):
    """This driver does not work on this machine; the message says what is missing."""


@dataclass(frozen=True, slots=True)
class Prepared:
    """A workspace's directories, ready to be bound into a container. `detail` is empty, or says in a sentence what of
    the limits does not hold for this workspace."""

    folders: Folders
    driver: DriverName
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Held:
    """What a workspace holds of the kernel: places where something of it is mounted, and loop devices."""

    workspace_id: str
    mounts: tuple[str, ...]
    loops: tuple[str, ...]


class DiskDriver(Protocol):
    """Verbs are blocking and may be repeated. The process may be killed at any instant: the next `prepare` finds a
    workspace that has all of its files. The caller keeps two of them off the same workspace (`Places` does).

    `owner` is the host's id of the container's root: 0, or the start of the range that the engine remaps to.
    """

    @property
    def name(self) -> DriverName: ...

    @property
    def detail(self) -> str:
        """A sentence for people: what holds, and what does not."""
        ...

    def try_out(self) -> None:
        """Make, mount and remove a tiny one. Raises DiskUnusable."""
        ...

    def has(self, folder: Path) -> bool:
        """Whether the files of this workspace are kept this way already."""
        ...

    def prepare(self, folder: Path, limits: Limits, owner: int) -> Prepared:
        """Made, limited and mounted; what lay in plain directories before is taken over. Files are never lost over a
        limit that fell: they stay, and nothing new can be written."""
        ...

    def release(self, folder: Path) -> None:
        """Give back what only a running container needs. Its files stay."""
        ...

    def delete(self, folder: Path) -> None:
        """With everything in it. Its container must be gone."""
        ...
