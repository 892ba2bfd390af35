"""Driver `soft`: plain directories. The runner measures disk usage, but nothing blocks a write over the limit."""

from pathlib import Path
from typing import Final

from sandbox.disk.driver import DriverName, Prepared
from sandbox.disk.folders import Folders, remove_tree
from sandbox.limits import Limits


class SoftDriver:
    """The `DiskDriver` for plain directories. `reason` explains why no better driver was chosen."""

    name: Final[DriverName] = "soft"

    def __init__(self, reason: str) -> None:
        self.detail = f"Disk limits are only watched: a command can write more before that is noticed. {reason}"

    def try_out(self) -> None:
        return

    def has(self, folder: Path) -> bool:
        return any((folder / name).is_dir() for name in ("files", "home"))

    def prepare(self, folder: Path, limits: Limits, owner: int) -> Prepared:
        folders = Folders(folder, folder)
        folders.make(owner)
        return Prepared(folders, self.name, self.detail)

    def release(self, folder: Path) -> None:
        return

    def delete(self, folder: Path) -> None:
        remove_tree(folder)
