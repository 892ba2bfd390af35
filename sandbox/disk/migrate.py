"""Move the files of a workspace from plain directories to a disk.

They are copied to a disk with a temporary name, which then gets its final name by a single rename. The old files are
removed only after that. If the process is killed before the rename, the old files are complete and the copy starts
again; if it is killed afterwards, the next `prepare` removes the remaining old files.
"""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from sandbox.disk.folders import DATA_FOLDERS, remove_tree
from sandbox.disk.programs import run_program

RUNNER: Final = "runner"
SOCKET: Final = "socket"
DU_OPTIONS: Final = ("--total", "--summarize", "--one-file-system", "--block-size=1")


def plain_data(folder: Path) -> list[Path]:
    """Return the paths of the directories `files` and `home` in the workspace's folder that exist."""
    return [path for name in DATA_FOLDERS if (path := folder / name).is_dir()]


def plain_runner(folder: Path) -> list[Path]:
    """Return the entries of the runner's plain directory. Empty if a disk is mounted there."""
    runner = folder / RUNNER
    if not runner.is_dir() or os.path.ismount(runner):
        return []
    return [path for path in sorted(runner.iterdir()) if path.name != SOCKET]


def fits(paths: Sequence[Path], mib: int, inodes: int) -> bool:
    """Return whether a disk with this space and number of inodes can hold all files below the paths."""
    return size_of(paths) <= mib << 20 and _total(paths, "--inodes") < inodes


def size_of(paths: Sequence[Path]) -> int:
    """Return the total size of the paths in bytes."""
    return _total(paths)


def copy_all(paths: Sequence[Path], target: Path) -> None:
    """Copy the paths with owners, modes, times, hard links and holes. Symlinks are copied, not followed."""
    if paths:
        run_program("cp", "-a", "--", *map(str, paths), str(target), package="coreutils")


def delete_plain(paths: Sequence[Path]) -> None:
    for path in paths:
        remove_tree(path)


def _total(paths: Sequence[Path], *options: str) -> int:
    if not paths:
        return 0
    printed = run_program("du", *DU_OPTIONS, *options, "--", *map(str, paths), package="coreutils")
    return int(printed.splitlines()[-1].split()[0])
