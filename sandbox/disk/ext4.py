"""Driver `ext4`: one sparse image for a workspace's files and home, and a small one for its runner.

<workspace>/disk.img     mounted at <workspace>/disk, which contains files and home
<workspace>/runner.img   mounted at <workspace>/runner

Each image is mounted through a loop device. An idle workspace is only two files. An image gets its final name only when
it is complete.
"""

import errno
import os
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from sandbox.disk import loops, migrate, write_rate
from sandbox.disk.driver import MIB, RUNNER_INODES, RUNNER_MIB, DiskUnusable, DriverName, Prepared
from sandbox.disk.folders import Folders, remove_tree
from sandbox.disk.images import Capacity, check_image, fit_image, is_fit, make_image
from sandbox.errors import LimitReached, SandboxUnavailable
from sandbox.limits import Limits
from sandbox.mounts import mounts_below

DATA_IMAGE: Final = "disk.img"
RUNNER_IMAGE: Final = "runner.img"
DATA: Final = "disk"
RUNNER: Final = "runner"
INCOMING_FOLDER: Final = "incoming"
MOUNT_OPTIONS: Final = "discard,noinit_itable,errors=remount-ro"
"""Return freed space to the host at once, do not initialise unused inode tables, and become read-only on errors."""
TRIAL_CAPACITY: Final = Capacity(16, 64)  # MiB, inodes
TOO_LARGE: Final = (
    "The files of this workspace were created before disk limits and are larger than its limit allows. They stay in"
    " plain directories, where the limit is only watched, until they fit."
)
_TESTED_DEVICES: Final[set[int]] = set()
"""Device numbers of the file systems on which this process has tested the driver successfully."""


class Ext4Driver:
    """Disk driver with an ext4 image for each workspace. `root` is the directory of all workspaces."""

    name: Final[DriverName] = "ext4"
    detail: Final = "Each workspace has an ext4 image of its own: the kernel enforces the limits on space and inodes."

    def __init__(self, root: Path) -> None:
        self._root = root

    def try_out(self) -> None:
        if os.getuid() != 0:
            raise DiskUnusable("Loop devices need root.")
        self._root.mkdir(mode=0o700, parents=True, exist_ok=True)
        if (device := self._root.stat().st_dev) in _TESTED_DEVICES:
            return
        with tempfile.TemporaryDirectory(dir=self._root, prefix=".try-") as name:
            try:
                self._try_mount(Path(name))
            except (OSError, SandboxUnavailable) as error:
                raise DiskUnusable(f"An ext4 image cannot be mounted here: {error}.") from error
        _TESTED_DEVICES.add(device)

    def has(self, folder: Path) -> bool:
        return (folder / DATA_IMAGE).exists()

    def prepare(self, folder: Path, limits: Limits, owner: int) -> Prepared:
        capacity = Capacity(limits.disk_mib, limits.inodes)
        if not self.has(folder):
            old = migrate.plain_data(folder)
            if not migrate.fits(old, capacity.mib, capacity.inodes):
                folders = Folders(folder, folder)
                folders.make(owner)
                return Prepared(folders, "soft", TOO_LARGE)
            self._make(folder, DATA_IMAGE, capacity, old)
        migrate.delete_plain(migrate.plain_data(folder))
        if not (folder / RUNNER_IMAGE).exists():
            old = migrate.plain_runner(folder)
            room = Capacity(max(RUNNER_MIB, _mib_of(old)), RUNNER_INODES)
            self._make(folder, RUNNER_IMAGE, room, old)
        migrate.delete_plain(migrate.plain_runner(folder))
        self._ensure_mounted(folder, DATA_IMAGE, DATA, capacity)
        self._ensure_mounted(folder, RUNNER_IMAGE, RUNNER, None)
        folders = Folders(folder, folder / DATA)
        folders.make(owner)
        return Prepared(folders, self.name)

    def release(self, folder: Path) -> None:
        for mount_point in mounts_below(folder):
            if device := loops.mounted_device(mount_point):
                write_rate.set_write_rate(device, write_rate.UNLIMITED)
            loops.unmount(mount_point)

    def delete(self, folder: Path) -> None:
        self.release(folder)
        remove_tree(folder)

    def _make(self, folder: Path, image: str, capacity: Capacity, old: Sequence[Path]) -> None:
        """Create an image with a copy of the files in `old`. It is either complete afterwards, or does not exist."""
        fresh, incoming = folder / f"{image}.new", folder / INCOMING_FOLDER
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            loops.unmount(incoming)
            make_image(fresh, capacity)
            if old:
                _copy_into_image(old, fresh, incoming)
            fresh.rename(folder / image)
        except OSError as error:
            raise _to_sandbox_error(error) from error

    def _ensure_mounted(self, folder: Path, image: str, mount_point: str, capacity: Capacity | None) -> None:
        """Mount the image if it is not mounted. If no loop device uses the image, adjust the image's capacity first."""
        target = folder / mount_point
        if os.path.ismount(target):
            return
        try:
            if capacity and not is_fit(folder / image, capacity) and loops.is_free(folder / image):
                fit_image(folder / image, capacity)
            _mount(folder / image, target, write_rate.WORKSPACE_RATE if capacity else write_rate.UNLIMITED)
        except OSError as error:
            raise _to_sandbox_error(error) from error

    def _try_mount(self, folder: Path) -> None:
        make_image(folder / "image", TRIAL_CAPACITY)
        try:
            _mount(folder / "image", folder / "mount")
            os.statvfs(folder / "mount")
        finally:
            loops.unmount(folder / "mount")


def data_device(folder: Path) -> str:
    """Return the loop device from which a workspace's files and home are mounted; "" if there is none."""
    mounted = folder / DATA
    return loops.mounted_device(mounted) if (folder / DATA_IMAGE).exists() and os.path.ismount(mounted) else ""


def _copy_into_image(old: Sequence[Path], image: Path, incoming: Path) -> None:
    _mount(image, incoming)
    try:
        migrate.copy_all(old, incoming)
    finally:
        loops.unmount(incoming)
        incoming.rmdir()


def _mount(image: Path, target: Path, rate: int = write_rate.UNLIMITED) -> None:
    """Mount the image. If that fails, for example after a crash of the machine, repair the file system and try once
    more."""
    target.mkdir(mode=0o700, exist_ok=True)
    try:
        _attach(image, target, rate)
    except OSError as error:
        if error.errno not in (errno.EUCLEAN, errno.EINVAL, errno.EIO):
            raise
        check_image(image)
        _attach(image, target, rate)


def _attach(image: Path, target: Path, rate: int) -> None:
    with loops.attached(image) as device:
        write_rate.set_write_rate(device, rate)
        loops.mount(device, target, "ext4", MOUNT_OPTIONS)


def _mib_of(paths: Sequence[Path]) -> int:
    """Return twice the total size of the files, in MiB, or 0 without files. A new disk of this size has room for a
    journal that is already large."""
    return 2 * migrate.size_of(paths) // MIB if paths else 0


def _to_sandbox_error(error: OSError) -> SandboxUnavailable | LimitReached:
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return LimitReached(
            "The disk of this node is full, so no workspace can start on it. Ask an operator to free space."
        )
    return SandboxUnavailable(f"The workspace's disk could not be prepared: {error.strerror or error}.")
