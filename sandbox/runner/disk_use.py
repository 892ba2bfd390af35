"""Count the bytes and names in a folder, for disks that cannot report their own usage."""

import os
import time
from collections.abc import Iterator
from typing import Final

from .budgets import OBJECT_COST, Budget
from .tree import open_exactly
from .tree_walk import cost_of

# A count that was stopped early is lower than the real usage.
MAX_NAMES: Final = 500_000  # names after which a count stops
TIME_LIMIT: Final = 1.0  # seconds after which a count stops
BLOCK_BYTES: Final = 512  # the unit of st_blocks


def count(root_fd: int, budget: Budget) -> tuple[int, int]:
    """Return the number of bytes and names below a folder, without the folder itself.

    Call it as the tool user, who can enter the folders. A file with several hard links is counted once. A count also
    stops when the budget is spent.
    """
    bytes_used = names = 0
    linked: set[int] = set()
    deadline = time.monotonic() + TIME_LIMIT
    waiting = [("", ".")]
    while waiting and names < MAX_NAMES and time.monotonic() < deadline and not budget.is_spent:
        parent, name = waiting.pop()
        budget.refund(cost_of(name))
        folder = os.path.join(parent, name)
        for name, status in _entries(root_fd, folder):
            names += 1
            if status.st_nlink > 1 and not _is_folder(status):
                if status.st_ino in linked:
                    continue
                if budget.spend(OBJECT_COST):
                    linked.add(status.st_ino)
            bytes_used += status.st_blocks * BLOCK_BYTES
            if _is_folder(status) and budget.spend(cost_of(name)):
                waiting.append((folder, name))
    return bytes_used, names


def _is_folder(status: os.stat_result) -> bool:
    return status.st_mode & 0o170000 == 0o040000


def _entries(root_fd: int, folder: str) -> Iterator[tuple[str, os.stat_result]]:
    """Yield the names in a folder and their status. Yields nothing if the folder was removed, replaced or is
    unreadable."""
    try:
        fd = open_exactly(root_fd, folder, os.O_RDONLY | os.O_DIRECTORY)
    except OSError:
        return
    try:
        with os.scandir(fd) as entries:
            for entry in entries:
                try:
                    yield entry.name, entry.stat(follow_symlinks=False)
                except OSError:
                    continue
    finally:
        os.close(fd)
