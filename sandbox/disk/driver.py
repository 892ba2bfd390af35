"""`DiskDriver`: the interface of drivers that limit disk usage, and the values that they return."""

from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal, Protocol

from sandbox.disk.folders import Folders
from sandbox.errors import SandboxUnavailable
from sandbox.limits import Limits

DriverName = Literal["ext4", "btrfs", "soft"]
MIB: Final = 1 << 20
RUNNER_MIB: Final = 1024
"""Size of the runner's own disk. Its journal takes up to 128 MiB during compaction. Snapshots may use the rest and
leave the journal's share free (`sandbox.runner.snapshots`)."""
RUNNER_INODES: Final = 300_000


class DiskUnusable(SandboxUnavailable):
    """The driver does not work on this machine. The message names what is missing."""


@dataclass(frozen=True, slots=True)
class Prepared:
    """The directories of a workspace, ready to be mounted into a container.

    `detail` is empty, or a sentence that names the limits that are not enforced for this workspace.
    """

    folders: Folders
    driver: DriverName
    detail: str = ""


@dataclass(frozen=True, slots=True)
class KernelResources:
    """Kernel resources of a workspace: the mount points of its disks, and its loop devices."""

    workspace_id: str
    mounts: tuple[str, ...]
    loops: tuple[str, ...]


class DiskDriver(Protocol):
    """The interface of a disk driver. Methods block and may be repeated.

    The process may be killed at any moment: the next `prepare` still finds all files of the workspace. The caller must
    not run two methods for one workspace at the same time (`WorkspaceDisks` takes care of that).

    `owner` is the id that the container's root has on the host: 0, or the start of the range that the engine remaps to.
    """

    @property
    def name(self) -> DriverName: ...

    @property
    def detail(self) -> str:
        """A sentence for people about the limits that the driver enforces, and the limits that it does not enforce."""
        ...

    def try_out(self) -> None:
        """Create, mount and remove a tiny disk. Raises DiskUnusable if that fails."""
        ...

    def has(self, folder: Path) -> bool:
        """Return whether this driver already stores the files of the workspace whose directory is `folder`."""
        ...

    def prepare(self, folder: Path, limits: Limits, owner: int) -> Prepared:
        """Create the disk if needed, set its limits and mount it.

        Files of earlier plain directories are moved to the disk. If a limit was lowered below the current usage, the
        files stay, but nothing new can be written.
        """
        ...

    def release(self, folder: Path) -> None:
        """Unmount the disks. Only a running container needs them mounted; the files are kept."""
        ...

    def delete(self, folder: Path) -> None:
        """Delete the disk with all files. Its container must be removed first."""
        ...
