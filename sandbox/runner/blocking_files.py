"""Find files that would make git or ripgrep block forever.

Both programs read ignore files by name in every directory they walk. If such a file is a FIFO, or a link to a device,
reading it never ends. Checking for this before every search would cost as much as the search itself, so it is done only
when a search is slow; the search is then stopped with an error that names the file.
"""

import os
import stat
import time
from collections.abc import Iterator
from typing import Final

from .budgets import Budget
from .tree import open_exactly
from .tree_walk import walk

SPECIAL_FILES: Final = frozenset({".gitignore", ".ignore", ".rgignore", ".gitattributes", ".gitmodules", ".git"})
"""Names that git and ripgrep read, or enter, in every directory."""
GIT_FOLDERS: Final = (".git", ".git/info")
MAX_SPECIAL_FILE_BYTES: Final = 64 << 20  # reading a larger one takes too long
MAX_NAMES: Final = 500_000  # names checked
FIND_TIMEOUT: Final = 5.0  # seconds


def find_blocking_file(root_fd: int, budget: Budget) -> str | None:
    """Return the path, below the root, of a file on which git or ripgrep would block forever. Call it as the tool user.

    None if there is no such file, or none was found in time and within the budget.
    """
    deadline = time.monotonic() + FIND_TIMEOUT
    for folder, names in _candidates(root_fd, budget):
        for name in names:
            if _blocks_readers(root_fd, folder, name):
                return os.path.normpath(os.path.join(folder, name))
        if time.monotonic() > deadline:
            return None
    return None


def _candidates(root_fd: int, budget: Budget) -> Iterator[tuple[str, list[str]]]:
    for folder in GIT_FOLDERS:
        for _, names in walk(root_fd, budget=budget, limit=0, start=folder):
            yield folder, names
            break
    for folder, names in walk(root_fd, budget=budget, skipped={".git"}, limit=MAX_NAMES):
        yield folder, [name for name in names if name in SPECIAL_FILES]


def _blocks_readers(root_fd: int, folder: str, name: str) -> bool:
    """Return whether reading this file would not end, or take too long.

    Links are followed as ripgrep would follow them. Nothing is opened: only the kind and size matter.
    """
    try:
        fd = open_exactly(root_fd, folder, os.O_PATH | os.O_DIRECTORY)
    except OSError:
        return False
    try:
        status = os.stat(name, dir_fd=fd)
    except OSError:
        return False
    finally:
        os.close(fd)
    if stat.S_ISREG(status.st_mode):
        return status.st_size > MAX_SPECIAL_FILE_BYTES
    return not stat.S_ISDIR(status.st_mode) and not stat.S_ISSOCK(status.st_mode)
