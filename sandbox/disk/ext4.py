"""One sparse image for a workspace's files and home, a small one for its runner, each mounted through a loop device.

<workspace>/disk.img     mounted at <workspace>/disk, which holds files and home
<workspace>/runner.img   mounted at <workspace>/runner

An idle workspace is nothing but two files. An image only ever appears under its name when it is complete.
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
INCOMING: Final = "incoming"
OPTIONS: Final = "discard,noinit_itable,errors=remount-ro"
"""Freed space goes back to the host at once, and tables nobody uses are not written out."""
TRIAL: Final = Capacity(16, 64)
TOO_LARGE: Final = (
    "The files of this workspace were made before disk limits and are more than its limit allows. They stay in plain"
    " directories, where the limit is only watched, until they fit."
)
_WORKS_ON: Final[set[int]] = set()
"""The file systems on which this process has tried it."""


class Ext4Driver:
    """Implements `DiskDriver`. `root`: the directory of all workspaces."""

    name: Final[DriverName] = "ext4"
    detail: Final = "Each workspace has an ext4 image of its own: the kernel holds space and inodes to their limits."

    def __init__(self, root: Path) -> None:
        self._root = root

    def try_out(self) -> None:
        if os.getuid() != 0:
            raise DiskUnusable("Loop devices need root.")
        self._root.mkdir(mode=0o700, parents=True, exist_ok=True)
        if (device := self._root.stat().st_dev) in _WORKS_ON:
            return
        with tempfile.TemporaryDirectory(dir=self._root, prefix=".try-") as name:
            try:
                self._try_in(Path(name))
            except (OSError, SandboxUnavailable) as error:
                raise DiskUnusable(f"An ext4 image cannot be mounted here: {error}.") from error
        _WORKS_ON.add(device)

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
        migrate.forget_plain(migrate.plain_data(folder))
        if not (folder / RUNNER_IMAGE).exists():
            old = migrate.plain_runner(folder)
            room = Capacity(max(RUNNER_MIB, _mib_of(old)), RUNNER_INODES)
            self._make(folder, RUNNER_IMAGE, room, old)
        migrate.forget_plain(migrate.plain_runner(folder))
        self._show(folder, DATA_IMAGE, DATA, capacity)
        self._show(folder, RUNNER_IMAGE, RUNNER, None)
        folders = Folders(folder, folder / DATA)
        folders.make(owner)
        return Prepared(folders, self.name)

    def release(self, folder: Path) -> None:
        for place in mounts_below(folder):
            if device := loops.device_below(place):
                write_rate.bound(device, write_rate.UNBOUND)
            loops.unmount(place)

    def delete(self, folder: Path) -> None:
        self.release(folder)
        remove_tree(folder)

    def _make(self, folder: Path, image: str, capacity: Capacity, old: Sequence[Path]) -> None:
        """Complete, with the old files in it, or not there."""
        fresh, incoming = folder / f"{image}.new", folder / INCOMING
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            loops.unmount(incoming)
            make_image(fresh, capacity)
            if old:
                _take_over(old, fresh, incoming)
            fresh.rename(folder / image)
        except OSError as error:
            raise _in_words(error) from error

    def _show(self, folder: Path, image: str, place: str, capacity: Capacity | None) -> None:
        """Mounted; held to its capacity when nothing is mounted from it, as nothing is while no container runs."""
        target = folder / place
        if os.path.ismount(target):
            return
        try:
            if capacity and not is_fit(folder / image, capacity) and loops.is_free(folder / image):
                fit_image(folder / image, capacity)
            _mount(folder / image, target, write_rate.RATE if capacity else write_rate.UNBOUND)
        except OSError as error:
            raise _in_words(error) from error

    def _try_in(self, folder: Path) -> None:
        make_image(folder / "image", TRIAL)
        try:
            _mount(folder / "image", folder / "place")
            os.statvfs(folder / "place")
        finally:
            loops.unmount(folder / "place")


def _take_over(old: Sequence[Path], image: Path, incoming: Path) -> None:
    _mount(image, incoming)
    try:
        migrate.copy_all(old, incoming)
    finally:
        loops.unmount(incoming)
        incoming.rmdir()


def _mount(image: Path, target: Path, rate: int = write_rate.UNBOUND) -> None:
    """A file system that cannot be mounted, as after a crash of the machine, is repaired once."""
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
        write_rate.bound(device, rate)
        loops.mount(device, target, "ext4", OPTIONS)


def _mib_of(paths: Sequence[Path]) -> int:
    """Twice what is there: a journal that was large before must not be full at once."""
    return 2 * migrate.size_of(paths) // MIB if paths else 0


def _in_words(error: OSError) -> SandboxUnavailable | LimitReached:
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return LimitReached("The disk of this node is full: no workspace can be prepared on it.")
    return SandboxUnavailable(f"The workspace's disk could not be prepared: {error.strerror or error}.")
