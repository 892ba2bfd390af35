"""The disks of all workspaces below one directory: the choice of a driver, and locks around operations."""

import fcntl
import threading
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final, Literal, get_args

from sandbox.disk import loops, write_rate
from sandbox.disk.btrfs import BtrfsDriver, is_btrfs
from sandbox.disk.directories import SoftDriver
from sandbox.disk.driver import DiskDriver, DiskUnusable, KernelResources, Prepared
from sandbox.disk.ext4 import Ext4Driver, data_device
from sandbox.disk.folders import Folders
from sandbox.errors import SandboxUnavailable
from sandbox.limits import Limits
from sandbox.mounts import mounts_below

Setting = Literal["auto", "ext4", "btrfs", "soft"]
SETTINGS: Final[tuple[str, ...]] = get_args(Setting)
LOCKS: Final = ".locks"
LOCK_COUNT: Final = 64
DRIVERS: Final[dict[str, Callable[[Path], DiskDriver]]] = {"ext4": Ext4Driver, "btrfs": BtrfsDriver}


class WorkspaceDisks:
    """Disks of the workspaces below `root`.

    `setting` is the driver that the operator chose (SANDBOX_DISK). A choice other than `auto` or `soft` that does not
    work raises DiskUnusable when the first workspace is prepared. `obstacle` explains why the engine would not see
    mounts of this process; it is empty if the engine sees them.
    """

    def __init__(self, root: Path, *, setting: str = "auto", obstacle: str = "") -> None:
        if setting not in SETTINGS:
            raise SandboxUnavailable(f"SANDBOX_DISK must be one of {', '.join(SETTINGS)}, not {setting[:40]!r}.")
        self._root = root
        self._setting = setting
        self._obstacle = obstacle
        self._choosing = threading.Lock()
        self._chosen: DiskDriver | None = None

    def driver(self) -> DiskDriver:
        """Return the driver for new workspaces. The first call tests which drivers work on this machine."""
        with self._choosing:
            if self._chosen is None:
                self._chosen = choose_driver(self._root, self._setting, self._obstacle)
            return self._chosen

    def folders(self, workspace_id: str) -> Folders:
        """Return the paths of a workspace's directories, which need not exist. Nothing is created or mounted."""
        folder = self._root / workspace_id
        plain = not self._existing_driver(folder) and (SoftDriver("").has(folder) or self.driver().name == "soft")
        return Folders(folder, folder if plain else folder / "disk")

    def prepare(self, workspace_id: str, limits: Limits, owner: int) -> Prepared:
        """Prepare the disk of a workspace; see `DiskDriver.prepare`.

        An existing workspace keeps its driver, even if a different driver was chosen for new workspaces.
        """
        folder = self._root / workspace_id
        with self._locked(workspace_id):
            return self._driver_of(folder).prepare(folder, limits, owner)

    def mount_existing(self, workspace_id: str, limits: Limits, owner: int) -> Prepared:
        """Mount the disk for a container that already runs. Nothing is created or moved."""
        folder = self._root / workspace_id
        with self._locked(workspace_id):
            kept = self._existing_driver(folder)
            return kept.prepare(folder, limits, owner) if kept else Prepared(Folders(folder, folder), "soft")

    def release(self, workspace_id: str) -> None:
        folder = self._root / workspace_id
        if mounts_below(folder):
            with self._locked(workspace_id):
                self._driver_of(folder).release(folder)

    @contextmanager
    def unlimited(self, workspace_id: str) -> Iterator[None]:
        """Lift the limit on the rate at which the workspace writes to its disk, until the block ends."""
        device = data_device(self._root / workspace_id)
        if not device:
            yield
            return
        write_rate.set_write_rate(device, write_rate.UNLIMITED)
        try:
            yield
        finally:
            write_rate.set_write_rate(device, write_rate.WORKSPACE_RATE)

    def delete(self, workspace_id: str) -> None:
        folder = self._root / workspace_id
        if folder.exists():
            with self._locked(workspace_id):
                self._driver_of(folder).delete(folder)

    def kernel_resources(self) -> Sequence[KernelResources]:
        return kernel_resources_below(self._root)

    def _driver_of(self, folder: Path) -> DiskDriver:
        """Return the driver that already stores this workspace; for a new workspace, the driver for new workspaces."""
        return self._existing_driver(folder) or self.driver()

    def _existing_driver(self, folder: Path) -> DiskDriver | None:
        """Return the driver that stores this workspace; None if the workspace is new or in plain directories."""
        drivers: tuple[DiskDriver, ...] = (Ext4Driver(self._root), BtrfsDriver(self._root))
        return next((driver for driver in drivers if driver.has(folder)), None)

    @contextmanager
    def _locked(self, workspace_id: str) -> Iterator[None]:
        """Lock the workspace against other processes. The deployment's own locks serialise the threads of this process.

        There are LOCK_COUNT lock files, so some workspaces share a lock.
        """
        locks = self._root / LOCKS
        locks.mkdir(mode=0o700, parents=True, exist_ok=True)
        with (locks / f"{zlib.crc32(workspace_id.encode()) % LOCK_COUNT}").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield


def choose_driver(root: Path, setting: str, obstacle: str) -> DiskDriver:
    """Return the driver for new workspaces.

    `auto` means btrfs if the directory is on btrfs, otherwise ext4 images. If neither works, it means `soft`. The
    `detail` of `soft` explains why.
    """
    if setting == "soft":
        return SoftDriver("SANDBOX_DISK is set to 'soft'.")
    names = [setting] if setting != "auto" else ["btrfs", "ext4"] if is_btrfs(root) else ["ext4"]
    reasons = []
    for name in names:
        driver = DRIVERS[name](root)
        try:
            _try_out(driver, obstacle)
        except DiskUnusable as error:
            reasons.append(error.message)
        else:
            return driver
    if setting != "auto":
        raise DiskUnusable(f"SANDBOX_DISK={setting} does not work here. {' '.join(reasons)}")
    return SoftDriver(" ".join(reasons))


def _try_out(driver: DiskDriver, obstacle: str) -> None:
    if obstacle:
        raise DiskUnusable(obstacle)
    driver.try_out()


def kernel_resources_below(root: Path) -> list[KernelResources]:
    """Return all mounts and loop devices below the directory, grouped by workspace.

    Resources that belong to no workspace, such as a btrfs pool, have the workspace id "".
    """
    root = root.resolve()
    mounts, devices = _by_workspace(root, mounts_below(root)), _by_workspace(root, _devices_below(root))
    return [
        KernelResources(name, tuple(mounts.get(name, ())), tuple(devices.get(name, ())))
        for name in sorted({*mounts, *devices})
    ]


def release_all(root: Path) -> list[KernelResources]:
    """Unmount everything below the directory, and return the mounts and loop devices that were in use. The containers
    must be stopped first.

    A loop device is freed with its last mount or, if a container still uses the device, when that container ends.
    """
    resources = kernel_resources_below(root)
    for mount_point in mounts_below(root.resolve()):
        loops.unmount(mount_point)
    return resources


def _devices_below(root: Path) -> list[str]:
    """Return "image<TAB>device" for each loop device whose image is below the directory."""
    return [f"{file}\t{name}" for name, file in loops.backing_files() if file.startswith(f"{root}/")]


def _by_workspace(root: Path, paths: Sequence[str]) -> dict[str, list[str]]:
    """Group paths below `root` by the id of their workspace.

    An entry may have the form "path<TAB>value"; its value is then listed instead of the path.
    """
    found: dict[str, list[str]] = {}
    for path in paths:
        name = Path(path.partition("\t")[0]).relative_to(root).parts[0]
        found.setdefault("" if name.startswith(".") else name, []).append(path.rpartition("\t")[2])
    return found
