"""Taking over the files of a workspace that were kept in plain directories.

Copied into a new place under another name, which becomes the real one by a single rename; only then is the old one
removed. Killed before the rename, the old files are all there and the copy starts again; killed after it, the next
`prepare` removes what is left of the old.
"""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from sandbox.disk.folders import LIMITED, remove_tree
from sandbox.disk.programs import run_program

RUNNER: Final = "runner"
SOCKET: Final = "socket"
TOTAL: Final = ("--total", "--summarize", "--one-file-system", "--block-size=1")


def plain_data(folder: Path) -> list[Path]:
    return [path for name in LIMITED if (path := folder / name).is_dir()]


def plain_runner(folder: Path) -> list[Path]:
    """What lies in the runner's directory itself, when nothing is mounted there."""
    runner = folder / RUNNER
    if not runner.is_dir() or os.path.ismount(runner):
        return []
    return [path for path in sorted(runner.iterdir()) if path.name != SOCKET]


def fits(paths: Sequence[Path], mib: int, inodes: int) -> bool:
    return size_of(paths) <= mib << 20 and _total(paths, "--inodes") < inodes


def size_of(paths: Sequence[Path]) -> int:
    """Bytes."""
    return _total(paths)


def copy_all(paths: Sequence[Path], target: Path) -> None:
    """With owners, modes, times, hard links and holes; links are copied, not followed."""
    if paths:
        run_program("cp", "-a", "--", *map(str, paths), str(target), package="coreutils")


def forget_plain(paths: Sequence[Path]) -> None:
    for path in paths:
        remove_tree(path)


def _total(paths: Sequence[Path], *options: str) -> int:
    if not paths:
        return 0
    printed = run_program("du", *TOTAL, *options, "--", *map(str, paths), package="coreutils")
    return int(printed.splitlines()[-1].split()[0])
