"""Driver `btrfs`: one subvolume with a quota for a workspace's files and home, and one for its runner.

<root>/.volumes/<workspace>/disk     bind-mounted at <workspace>/disk, which contains files and home
<root>/.volumes/<workspace>/runner   bind-mounted at <workspace>/runner

If the directory of all workspaces is not on btrfs, `.volumes` is a pool: the mount point of one sparse image with a
btrfs file system, `<root>/.volumes.img`. A subvolume gets its final name only when it is complete.
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
from sandbox.errors import SandboxUnavailable
from sandbox.limits import Limits
from sandbox.mounts import mounts_below

PACKAGE: Final = "btrfs-progs"
VOLUMES: Final = ".volumes"
POOL_IMAGE: Final = ".volumes.img"
POOL_SHARE: Final = 0.8
"""Size of the pool as a share of the free space at its creation. The image is sparse: it takes only what is in it."""
DATA: Final = "disk"
RUNNER: Final = "runner"
TRIAL_MIB: Final = 16


class BtrfsDriver:
    """The `DiskDriver` of btrfs file systems. `root` is the directory of all workspaces."""

    name: Final[DriverName] = "btrfs"
    detail: Final = (
        "Each workspace has a btrfs subvolume of its own: the kernel enforces the limit on space."
        " btrfs cannot limit inodes, but they take space, which is limited."
    )

    def __init__(self, root: Path) -> None:
        self._root = root
        self._volumes = root / VOLUMES
        self._pool = root / POOL_IMAGE

    def try_out(self) -> None:
        if os.getuid() != 0:
            raise DiskUnusable("btrfs quotas need root.")
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
            _ensure_volume(volumes / DATA, limits.disk_mib, migrate.plain_data(folder))
            migrate.delete_plain(migrate.plain_data(folder))
            _ensure_volume(volumes / RUNNER, RUNNER_MIB, migrate.plain_runner(folder))
            migrate.delete_plain(migrate.plain_runner(folder))
            for name in (DATA, RUNNER):
                _bind(volumes / name, folder / name)
        except OSError as error:
            raise SandboxUnavailable(f"The workspace's disk could not be prepared: {error.strerror}.") from error
        folders = Folders(folder, folder / DATA)
        folders.make(owner)
        return Prepared(folders, self.name)

    def release(self, folder: Path) -> None:
        for mount_point in mounts_below(folder):
            loops.unmount(mount_point)

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
        """Make sure that the directory of all subvolumes exists, is on btrfs and has quotas enabled."""
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
    """Return whether the directory, or its nearest existing parent, is on btrfs."""
    nearest = next(path for path in (folder, *folder.parents) if path.exists())
    return run_program("stat", "-f", "-c", "%T", str(nearest), package="coreutils").strip() == "btrfs"


def run_btrfs(*arguments: str) -> str:
    return run_program("btrfs", *arguments, package=PACKAGE)


def _ensure_volume(volume: Path, mib: int, old: Sequence[Path]) -> None:
    """Create the subvolume if it is missing, with a copy of the files in `old`, and set its quota."""
    if volume.is_dir():
        _set_quota(volume, mib)
        return
    fresh = volume.with_suffix(".new")
    if fresh.exists():
        _delete_volume(fresh)
    _make_volume(fresh, mib)
    migrate.copy_all(old, fresh)
    fresh.rename(volume)


def _make_volume(volume: Path, mib: int) -> None:
    run_btrfs("subvolume", "create", str(volume))
    _set_quota(volume, mib)


def _set_quota(volume: Path, mib: int) -> None:
    """Set the quota of a subvolume, in MiB.

    The command runs on the parent directory, because in a subvolume over its limit there is no room to change the
    limit.
    """
    run_btrfs("qgroup", "limit", f"{mib}M", _quota_group(volume), str(volume.parent))


def _quota_group(volume: Path) -> str:
    return f"0/{run_btrfs('inspect-internal', 'rootid', str(volume)).strip()}"


def _delete_volume(volume: Path) -> None:
    """Delete the subvolume and its quota group, which btrfs would leave behind."""
    group = _quota_group(volume)
    run_btrfs("subvolume", "delete", str(volume))
    try:
        run_btrfs("qgroup", "destroy", group, str(volume.parent))
    except SandboxUnavailable:
        return  # busy until btrfs has finished the deletion; an unused group does no harm


def _bind(volume: Path, target: Path) -> None:
    target.mkdir(mode=0o700, exist_ok=True)
    if not os.path.ismount(target):
        loops.bind(volume, target)
