"""Walk all names below a directory, without following links."""

import os
from collections.abc import Collection, Iterator

from .budgets import OBJECT_COST, Budget
from .tree import open_exactly


def walk(
    root_fd: int,
    *,
    budget: Budget,
    skipped: Collection[str] = (),
    pruned: Collection[str] = (),
    limit: int,
    start: str = ".",
) -> Iterator[tuple[str, list[str]]]:
    """Yield each folder, as a path relative to the root, with the names in it that are not folders.

    Stops shortly after `limit` names, and when `budget` is spent: its `is_spent` then says so. Folders with a name in
    `skipped`, or with a path ("./a/b") in `pruned`, are not entered. Folders so deep that their path is too long to
    open are yielded without their content.
    """
    count = 0
    waiting = [("", start)]
    budget.spend(cost_of(start))
    while waiting and count <= limit and not budget.is_spent:
        parent, name = waiting.pop()
        budget.refund(cost_of(name))
        folder = os.path.join(parent, name)
        folders, names = _entries(root_fd, folder, budget)
        below = [name for name in sorted(folders, reverse=True) if name not in skipped]
        if pruned:
            below = [name for name in below if os.path.join(folder, name) not in pruned]
        waiting += [(folder, name) for name in below]
        yield folder, names
        count += len(names)
        kept = sum(map(cost_of, below))
        budget.refund(sum(map(cost_of, names)) + sum(map(cost_of, folders)) - kept)


def cost_of(name: str) -> int:
    """Return the bytes of memory that a name costs in the memory budget of a walk through a directory tree."""
    return OBJECT_COST + len(name) * (1 if name.isascii() else 4)


def _entries(root_fd: int, folder: str, budget: Budget) -> tuple[list[str], list[str]]:
    """Return folders and other names in a folder. Empty if it was removed, replaced or is unreadable.

    Stops when the budget is spent.
    """
    try:
        fd = open_exactly(root_fd, folder, os.O_RDONLY | os.O_DIRECTORY)
    except OSError:
        return [], []
    try:
        return scan(fd, budget)
    finally:
        os.close(fd)


def scan(fd: int, budget: Budget) -> tuple[list[str], list[str]]:
    """Return the folders and the other names in an open folder. Stops when the budget is spent."""
    folders: list[str] = []
    names: list[str] = []
    with os.scandir(fd) as entries:
        for entry in entries:
            if not budget.spend(cost_of(entry.name)):
                break
            (folders if entry.is_dir(follow_symlinks=False) else names).append(entry.name)
    return folders, names
