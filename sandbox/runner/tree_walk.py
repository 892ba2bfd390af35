"""Walk all names below a directory, without following links."""

import os
from collections.abc import Collection, Iterator

from .tree import open_exactly


def walk(
    root_fd: int, *, skipped: Collection[str] = (), pruned: Collection[str] = (), limit: int, start: str = "."
) -> Iterator[tuple[str, list[str]]]:
    """Yield each folder, as a path relative to the root, with the names in it that are not folders.

    Stops shortly after `limit` names. Folders with a name in `skipped`, or with a path ("./a/b") in `pruned`, are not
    entered. Folders so deep that their path is too long to open are yielded without their content.
    """
    count = 0
    waiting = [start]
    while waiting and count <= limit:
        folder = waiting.pop()
        folders, names = _entries(root_fd, folder)
        below = [os.path.join(folder, name) for name in sorted(folders, reverse=True) if name not in skipped]
        waiting += [path for path in below if path not in pruned]
        yield folder, names
        count += len(names)


def _entries(root_fd: int, folder: str) -> tuple[list[str], list[str]]:
    """Return folders and other names in a folder. Empty if it was removed, replaced or is unreadable."""
    try:
        fd = open_exactly(root_fd, folder, os.O_RDONLY | os.O_DIRECTORY)
    except OSError:
        return [], []
    folders: list[str] = []
    names: list[str] = []
    try:
        with os.scandir(fd) as entries:
            for entry in entries:
                (folders if entry.is_dir(follow_symlinks=False) else names).append(entry.name)
    finally:
        os.close(fd)
    return folders, names
