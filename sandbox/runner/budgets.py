"""Bound the memory that requests use for names of files.

Commands choose how many files there are and how long their names are. Half a million names of 4,096 bytes are possible,
for which no container has enough memory: the kernel would end a command of the workspace, and then the runner. So every
request that collects names takes memory for them from a budget, and all budgets share one pool. When its budget is
spent, a request either fails, or returns an answer which says that it is incomplete.
"""

import threading
from typing import Final, Self

from .frames import to_json

POOL_LIMIT: Final = 256 << 20  # bytes
POOL_DIVISOR: Final = 3
"""All requests together use at most a third of the container's memory for names."""
BUDGET_DIVISOR: Final = 3
"""One request uses at most a third of the pool: a comparison needs the names of two states, beside those in cache."""
ANSWER_LIMIT: Final = 32 << 20  # bytes of an answer that consists of names
COPIES: Final = 3
"""Copies of an item of an answer in memory: an object, its JSON, and a part of the JSON of the whole answer."""
GRANT: Final = 1 << 16  # bytes that a budget takes from the pool at a time
OBJECT_COST: Final = 130
"""Bytes, roughly, for an object beside its content, and for its place in a list or a dictionary."""


class MemoryPool:
    """The memory that all requests of this runner may use together. `memory` is the container's limit in bytes, 0 if it
    has none."""

    def __init__(self, memory: int = 0) -> None:
        self.total = min(POOL_LIMIT, memory // POOL_DIVISOR) if memory else POOL_LIMIT
        self._left = self.total
        self._lock = threading.Lock()

    @property
    def program_mib(self) -> int:
        """The memory in MiB that a helper program (git, ripgrep, diff) may allocate.

        Without this limit, the kernel might kill a command of the workspace instead of the program.
        """
        return self.total >> 20

    def budget(self, most: int = POOL_LIMIT) -> "Budget":
        """Return a budget of at most `most` bytes for one request. Use it in a `with` block, or close it."""
        return Budget(self, min(most, self.total // BUDGET_DIVISOR))

    def take(self, size: int) -> bool:
        """Take bytes from the pool. Returns False, and takes nothing, if fewer are left."""
        with self._lock:
            if size > self._left:
                return False
            self._left -= size
            return True

    def give_back(self, size: int) -> None:
        with self._lock:
            self._left += size


class Budget:
    """The memory in bytes that one request may still use. `is_spent`: the request has tried to use more."""

    def __init__(self, pool: MemoryPool, limit: int) -> None:
        self._pool = pool
        self._granted = 0
        self._used = 0
        self.limit = limit
        self.is_spent = False

    def spend(self, size: int) -> bool:
        """Use `size` bytes of the budget. Returns False, and uses nothing, if the budget or the pool has less left."""
        used = self._used + size
        if used > self.limit or (used > self._granted and not self._take(used - self._granted)):
            self.is_spent = True
            return False
        self._used = used
        return True

    def _take(self, missing: int) -> bool:
        grant = max(GRANT, missing)
        taken = self._pool.take(grant)
        self._granted += grant if taken else 0
        return taken

    def refund(self, size: int) -> None:
        """Give bytes that were spent back to the budget."""
        self._used -= size

    def close(self) -> None:
        """Return all bytes of this budget to the pool."""
        self._pool.give_back(self._granted)
        self._granted = self._used = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class NameList:
    """The names in the output of a program that writes a zero byte after each name.

    The program is ended when the budget is spent, or after `most` names; `is_cut` is true then.
    """

    def __init__(self, budget: Budget, most: int) -> None:
        self._budget = budget
        self._most = most
        self._rest = b""
        self.names: list[bytes] = []
        self.is_cut = False

    def feed(self, chunk: bytes) -> str:
        *names, self._rest = (self._rest + chunk).split(b"\0")
        for name in names:
            if len(self.names) >= self._most or not self._budget.spend(OBJECT_COST + len(name)):
                self.is_cut = True
                return "enough"
            self.names.append(name)
        return ""


class AnswerRoom:
    """The space left in one answer, whose size is limited in addition to the memory budget."""

    def __init__(self, budget: Budget) -> None:
        self._budget = budget
        self._left = ANSWER_LIMIT

    def fits(self, item: object) -> bool:
        """Return whether the item fits into the answer. Its size is subtracted from the space that is left."""
        size = len(to_json(item))
        self._left -= size
        return self._left >= 0 and self._budget.spend(OBJECT_COST + COPIES * size)
