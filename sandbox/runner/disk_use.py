"""Count the bytes and names in a folder, for disks that cannot report their own usage."""

import os
import time
from typing import Final

from .tree import open_exactly

# A count that was stopped early is lower than the real usage.
MAX_NAMES: Final = 500_000  # names after which a count stops
TIME_LIMIT: Final = 1.0  # seconds after which a count stops
BLOCK_BYTES: Final = 512  # the unit of st_blocks


def count(root_fd: int) -> tuple[int, int]:
    """Return the number of bytes and names below a folder, without the folder itself.

    Call it as the tool user, who can enter the folders. A file with several hard links is counted once.
    """
    bytes_used = names = 0
    linked: set[int] = set()
    deadline = time.monotonic() + TIME_LIMIT
    waiting = ["."]
    while waiting and names < MAX_NAMES and time.monotonic() < deadline:
        folder = waiting.pop()
        for name, status in _entries(root_fd, folder):
            names += 1
            if status.st_nlink > 1 and not _is_folder(status):
                if status.st_ino in linked:
                    continue
                linked.add(status.st_ino)
            bytes_used += status.st_blocks * BLOCK_BYTES
            if _is_folder(status):
                waiting.append(os.path.join(folder, name))
    return bytes_used, names


def _is_folder(status: os.stat_result) -> bool:
    return status.st_mode & 0o170000 == 0o040000


def _entries(root_fd: int, folder: str) -> list[tuple[str, os.stat_result]]:
    """Return the names in a folder and their status. Empty if the folder was removed, replaced or is unreadable."""
    found = []
    try:
        fd = open_exactly(root_fd, folder, os.O_RDONLY | os.O_DIRECTORY)
    except OSError:
        return []
    try:
        with os.scandir(fd) as entries:
            for entry in entries:
                try:
                    found.append((entry.name, entry.stat(follow_symlinks=False)))
                except OSError:
                    continue
    finally:
        os.close(fd)
    return found
