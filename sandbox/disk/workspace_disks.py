"""The disks of all workspaces below one directory: which driver is used, and one verb at a time for each workspace."""

import fcntl
import threading
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final, Literal, get_args

from sandbox.disk import loops
from sandbox.disk.btrfs import BtrfsDriver, is_btrfs
from sandbox.disk.directories import SoftDriver
from sandbox.disk.driver import DiskDriver, DiskUnusable, Held, Prepared
from sandbox.disk.ext4 import Ext4Driver
from sandbox.disk.folders import Folders
from sandbox.errors import SandboxUnavailable
from sandbox.limits import Limits
from sandbox.mounts import mounts_below

Setting = Literal["auto", "ext4", "btrfs", "soft"]
SETTINGS: Final[tuple[str, ...]] = get_args(Setting)
LOCKS: Final = ".locks"
LOCK_COUNT: Final = 64
MAKERS: Final[dict[str, Callable[[Path], DiskDriver]]] = {"ext4": Ext4Driver, "btrfs": BtrfsDriver}


class Places:
    """`root`: the directory of all workspaces. `setting`: what the operator asked for; anything but `auto` and `soft`
    is refused where it does not work (DiskUnusable, when the first workspace is prepared). `obstacle`: why the engine
    would not see what is mounted here; empty when it does.
    """

    def __init__(self, root: Path, *, setting: str = "auto", obstacle: str = "") -> None:
        if setting not in SETTINGS:
            raise SandboxUnavailable(f"SANDBOX_DISK can be {', '.join(SETTINGS)}, not {setting[:40]!r}.")
        self._root = root
        self._setting = setting
        self._obstacle = obstacle
        self._choosing = threading.Lock()
        self._chosen: DiskDriver | None = None

    def driver(self) -> DiskDriver:
        """The one for new workspaces, tried out on this machine the first time it is asked for."""
        with self._choosing:
            if self._chosen is None:
                self._chosen = choose_driver(self._root, self._setting, self._obstacle)
            return self._chosen

    def folders(self, workspace_id: str) -> Folders:
        """Where things lie or would lie now; nothing is made or mounted."""
        folder = self._root / workspace_id
        plain = not self._keeper_of(folder) and (SoftDriver("").has(folder) or self.driver().name == "soft")
        return Folders(folder, folder if plain else folder / "disk")

    def prepare(self, workspace_id: str, limits: Limits, owner: int) -> Prepared:
        """See `DiskDriver.prepare`. What a workspace has is kept the way it is, whatever is chosen for new ones."""
        folder = self._root / workspace_id
        with self._alone(workspace_id):
            return self._driver_of(folder).prepare(folder, limits, owner)

    def show(self, workspace_id: str, limits: Limits, owner: int) -> Prepared:
        """For a container that runs: mount what is not, and take over nothing."""
        folder = self._root / workspace_id
        with self._alone(workspace_id):
            kept = self._keeper_of(folder)
            return kept.prepare(folder, limits, owner) if kept else Prepared(Folders(folder, folder), "soft")

    def release(self, workspace_id: str) -> None:
        folder = self._root / workspace_id
        if mounts_below(folder):
            with self._alone(workspace_id):
                self._driver_of(folder).release(folder)

    def delete(self, workspace_id: str) -> None:
        folder = self._root / workspace_id
        if folder.exists():
            with self._alone(workspace_id):
                self._driver_of(folder).delete(folder)

    def held(self) -> Sequence[Held]:
        return held_below(self._root)

    def _driver_of(self, folder: Path) -> DiskDriver:
        """What exists decides; only then what was chosen."""
        return self._keeper_of(folder) or self.driver()

    def _keeper_of(self, folder: Path) -> DiskDriver | None:
        drivers: tuple[DiskDriver, ...] = (Ext4Driver(self._root), BtrfsDriver(self._root))
        return next((driver for driver in drivers if driver.has(folder)), None)

    @contextmanager
    def _alone(self, workspace_id: str) -> Iterator[None]:
        """Against other processes; threads of this one are kept apart by the deployment. Some workspaces share one."""
        locks = self._root / LOCKS
        locks.mkdir(mode=0o700, parents=True, exist_ok=True)
        with (locks / f"{zlib.crc32(workspace_id.encode()) % LOCK_COUNT}").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield


def choose_driver(root: Path, setting: str, obstacle: str) -> DiskDriver:
    """`auto`: btrfs where the directory lies on it, else images; and if those cannot be, soft, which says why."""
    if setting == "soft":
        return SoftDriver("SANDBOX_DISK says so.")
    names = [setting] if setting != "auto" else ["btrfs", "ext4"] if is_btrfs(root) else ["ext4"]
    reasons = []
    for name in names:
        driver = MAKERS[name](root)
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


def held_below(root: Path) -> list[Held]:
    """Everything mounted or attached below the directory, by workspace; "" is what belongs to none (a pool)."""
    root = root.resolve()
    mounts, devices = _by_workspace(root, mounts_below(root)), _by_workspace(root, _devices_below(root))
    return [
        Held(name, tuple(mounts.get(name, ())), tuple(devices.get(name, ()))) for name in sorted({*mounts, *devices})
    ]


def release_all(root: Path) -> list[Held]:
    """Unmount everything below the directory: the containers must be stopped. What was held.

    Loop devices go with their last mount; one that a container still uses goes with that.
    """
    held = held_below(root)
    for place in mounts_below(root.resolve()):
        loops.unmount(place)
    return held


def _devices_below(root: Path) -> list[str]:
    return [f"{file}\t{name}" for name, file in loops.backing_files() if file.startswith(f"{root}/")]


def _by_workspace(root: Path, places: Sequence[str]) -> dict[str, list[str]]:
    """What follows a tab in a place is what is listed for it."""
    found: dict[str, list[str]] = {}
    for place in places:
        name = Path(place.partition("\t")[0]).relative_to(root).parts[0]
        found.setdefault("" if name.startswith(".") else name, []).append(place.rpartition("\t")[2])
    return found
