"""A btrfs subvolume with a quota for a workspace's files and home, and one for its runner.

<root>/.volumes/<workspace>/disk     bound to <workspace>/disk, which holds files and home
<root>/.volumes/<workspace>/runner   bound to <workspace>/runner

Where the directory of all workspaces does not lie on btrfs itself, `.volumes` is a pool: one sparse image with a btrfs
in it, `<root>/.volumes.img`. A subvolume only ever appears under its name when it is complete.
"""

import os
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from sandbox.disk import loops, migrate
from sandbox.disk.driver import MIB, RUNNER_MIB, DiskUnusable, DriverName, Prepared
from sandbox.disk.folders import Folders, remove_tree
from sandbox.disk.programs import run_program
from sandbox.errors import LimitReached, SandboxUnavailable
from sandbox.limits import Limits
from sandbox.mounts import mounts_below

PACKAGE: Final = "btrfs-progs"
VOLUMES: Final = ".volumes"
POOL_IMAGE: Final = ".volumes.img"
POOL_SHARE: Final = 0.8
"""Of what is free on the host when the pool is made. It is sparse: it takes what is in it."""
DATA: Final = "disk"
RUNNER: Final = "runner"
TRIAL_MIB: Final = 16


class BtrfsDriver:
    """Implements `DiskDriver`. `root`: the directory of all workspaces."""

    name: Final[DriverName] = "btrfs"
    detail: Final = (
        "Each workspace has a btrfs subvolume of its own: the kernel holds space to its limit."
        " btrfs cannot limit inodes; they take space, which is limited."
    )

    def __init__(self, root: Path) -> None:
        self._root = root
        self._volumes = root / VOLUMES
        self._pool = root / POOL_IMAGE

    def try_out(self) -> None:
        if os.getuid() != 0:
            raise DiskUnusable("Quotas of btrfs need root.")
        try:
            self._open()
            with tempfile.TemporaryDirectory(dir=self._volumes, prefix=".try-") as name:
                volume = Path(name) / DATA
                _make_volume(volume, TRIAL_MIB)
                _delete_volume(volume)
        except (OSError, SandboxUnavailable) as error:
            raise DiskUnusable(f"btrfs cannot be used here: {error}") from error

    def has(self, folder: Path) -> bool:
        if self._pool.exists():
            self._open()
        return (self._volumes / folder.name / DATA).is_dir()

    def prepare(self, folder: Path, limits: Limits, owner: int) -> Prepared:
        try:
            self._open()
            folder.mkdir(mode=0o700, exist_ok=True)
            volumes = self._volumes / folder.name
            volumes.mkdir(mode=0o700, exist_ok=True)
            _settle(volumes / DATA, limits.disk_mib, migrate.plain_data(folder))
            migrate.forget_plain(migrate.plain_data(folder))
            _settle(volumes / RUNNER, RUNNER_MIB, migrate.plain_runner(folder))
            migrate.forget_plain(migrate.plain_runner(folder))
            for name in (DATA, RUNNER):
                _bind(volumes / name, folder / name)
        except OSError as error:
            raise SandboxUnavailable(f"The workspace's disk could not be prepared: {error.strerror}.") from error
        folders = Folders(folder, folder / DATA)
        folders.make(owner)
        return Prepared(folders, self.name)

    def fork(self, source: Path, target: Path) -> None:
        """The files of one workspace, as they are now, as those of another that has none yet. Takes no time or space.

        Consistent like a disk after a power cut; end the commands first for more.
        """
        self._open()
        volume = self._volumes / target.name / DATA
        if volume.exists():
            raise LimitReached("The workspace that is to be the copy has files already.")
        volume.parent.mkdir(mode=0o700, exist_ok=True)
        run_btrfs("subvolume", "snapshot", str(self._volumes / source.name / DATA), str(volume))

    def release(self, folder: Path) -> None:
        for place in mounts_below(folder):
            loops.unmount(place)

    def delete(self, folder: Path) -> None:
        self.release(folder)
        self._open()
        volumes = self._volumes / folder.name
        if volumes.exists():
            for volume in sorted(volumes.iterdir()):
                _delete_volume(volume)
            remove_tree(volumes)
        remove_tree(folder)

    def _open(self) -> None:
        """The directory of all subvolumes is there, on btrfs and with quotas."""
        self._volumes.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not self._pool.exists() and is_btrfs(self._root):
            mark = self._volumes / ".quota"
            if not mark.exists():
                run_btrfs("quota", "enable", str(self._volumes))
                mark.touch()
        elif not os.path.ismount(self._volumes):
            self._open_pool()

    def _open_pool(self) -> None:
        if not self._pool.exists():
            fresh = self._pool.with_suffix(".new")
            host = os.statvfs(self._root)
            fresh.unlink(missing_ok=True)
            fresh.touch(mode=0o600)
            os.truncate(fresh, int(host.f_bavail * host.f_frsize * POOL_SHARE) // MIB * MIB)
            run_program("mkfs.btrfs", "-q", "--metadata", "single", str(fresh), package=PACKAGE)
            fresh.rename(self._pool)
        with loops.attached(self._pool) as device:
            loops.mount(device, self._volumes, "btrfs", "discard=async")
        run_btrfs("quota", "enable", str(self._volumes))


def is_btrfs(folder: Path) -> bool:
    """Whether the directory, or the nearest one above it that exists, lies on btrfs."""
    nearest = next(place for place in (folder, *folder.parents) if place.exists())
    return run_program("stat", "-f", "-c", "%T", str(nearest), package="coreutils").strip() == "btrfs"


def run_btrfs(*arguments: str) -> str:
    return run_program("btrfs", *arguments, package=PACKAGE)


def _settle(volume: Path, mib: int, old: Sequence[Path]) -> None:
    """There, with the old files in it, and held to its limit."""
    if volume.is_dir():
        _limit(volume, mib)
        return
    fresh = volume.with_suffix(".new")
    if fresh.exists():
        _delete_volume(fresh)
    _make_volume(fresh, mib)
    migrate.copy_all(old, fresh)
    fresh.rename(volume)


def _make_volume(volume: Path, mib: int) -> None:
    run_btrfs("subvolume", "create", str(volume))
    _limit(volume, mib)


def _limit(volume: Path, mib: int) -> None:
    """Asked of the directory above: a subvolume over its limit has no room for being given another."""
    run_btrfs("qgroup", "limit", f"{mib}M", _group_of(volume), str(volume.parent))


def _group_of(volume: Path) -> str:
    return f"0/{run_btrfs('inspect-internal', 'rootid', str(volume)).strip()}"


def _delete_volume(volume: Path) -> None:
    """With its quota group, which would be left behind."""
    group = _group_of(volume)
    run_btrfs("subvolume", "delete", str(volume))
    try:
        run_btrfs("qgroup", "destroy", group, str(volume.parent))
    except SandboxUnavailable:
        return  # busy until the subvolume is really gone; then the kernel counts nothing in it any more


def _bind(volume: Path, target: Path) -> None:
    target.mkdir(mode=0o700, exist_ok=True)
    if not os.path.ismount(target):
        loops.bind(volume, target)
