"""Files that would hold git and ripgrep up for ever.

Both read ignore files by name wherever they walk. One that is a FIFO, or a link to a device, is never read to its
end. Nobody looks for such a file before a search, that would cost as much as the search; but when one takes long,
this finds the file and the search ends with its name.
"""

import os
import stat
import time
from collections.abc import Iterator
from typing import Final

from .tree import open_exactly
from .tree_walk import walk

STEERING: Final = frozenset({".gitignore", ".ignore", ".rgignore", ".gitattributes", ".gitmodules", ".git"})
GIT_FOLDERS: Final = (".git", ".git/info")
LARGEST: Final = 64 << 20
NAMES_LIMIT: Final = 500_000
PATIENCE: Final = 5.0


def find_obstacle(root_fd: int) -> str | None:
    """Relative to the directory; None when there is none, or none was found in time. As the tool user."""
    give_up = time.monotonic() + PATIENCE
    for folder, names in _candidates(root_fd):
        for name in names:
            if _holds_up(root_fd, folder, name):
                return os.path.normpath(os.path.join(folder, name))
        if time.monotonic() > give_up:
            return None
    return None


def _candidates(root_fd: int) -> Iterator[tuple[str, list[str]]]:
    for folder in GIT_FOLDERS:
        for _, names in walk(root_fd, skipped=(), limit=0, start=folder):
            yield folder, names
            break
    for folder, names in walk(root_fd, skipped={".git"}, limit=NAMES_LIMIT):
        yield folder, [name for name in names if name in STEERING]


def _holds_up(root_fd: int, folder: str, name: str) -> bool:
    """Links are followed here as ripgrep would, but nothing is opened: only its kind and size matter."""
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
        return status.st_size > LARGEST
    return not stat.S_ISDIR(status.st_mode) and not stat.S_ISSOCK(status.st_mode)
