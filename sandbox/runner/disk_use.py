"""How much lies in a folder, counted, for disks that do not tell by themselves."""

import os
import time
from typing import Final

from .tree import open_exactly

COUNT_LIMIT: Final = 500_000
TIME_LIMIT: Final = 1.0
"""Names and seconds after which a count stops; what it has found by then is less than there is."""
BLOCK: Final = 512


def count(root_fd: int) -> tuple[int, int]:
    """Bytes and names below it, the folder itself left out. Run it as the tool user, who can enter what is his."""
    bytes_used = names = 0
    linked: set[int] = set()
    give_up = time.monotonic() + TIME_LIMIT
    waiting = ["."]
    while waiting and names < COUNT_LIMIT and time.monotonic() < give_up:
        folder = waiting.pop()
        for name, status in _entries(root_fd, folder):
            names += 1
            if status.st_nlink > 1 and not _is_folder(status):
                if status.st_ino in linked:
                    continue
                linked.add(status.st_ino)
            bytes_used += status.st_blocks * BLOCK
            if _is_folder(status):
                waiting.append(os.path.join(folder, name))
    return bytes_used, names


def _is_folder(status: os.stat_result) -> bool:
    return status.st_mode & 0o170000 == 0o040000


def _entries(root_fd: int, folder: str) -> list[tuple[str, os.stat_result]]:
    """Empty for a folder that is gone, closed to us or not a folder any more."""
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
