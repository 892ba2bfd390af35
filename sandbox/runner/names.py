"""Find files by a part of their path, fast enough for a search at every keystroke of a person.

All names are listed once with ripgrep, as for a glob, and kept for a few seconds. A search then only looks for bytes in
one block, and sorts the names that fit best: it takes no system call and no regular expression for each file.
"""

import heapq
import os
import threading
import time
from collections.abc import Callable, Iterator
from typing import Final, NamedTuple

from .budgets import Budget, MemoryPool

FRESH_SECONDS: Final = 5.0  # a listing is used for this long
MAX_KEPT_BYTES: Final = 24 << 20  # of names; a larger listing is made anew each time
MAX_CANDIDATES: Final = 2_000  # names that one search compares
COPIES: Final = 2
"""Copies of a listing in memory: one as it is, and one in lower case."""
BLOCK_COPIES: Final = COPIES + 1  # while a listing is made of the block


class Listing(NamedTuple):
    """The names of all files below a folder, each as `./name` between zero bytes, and the same in lower case."""

    names: bytes
    small: bytes
    is_complete: bool

    @classmethod
    def of(cls, block: bytes, *, is_complete: bool) -> "Listing":
        """Return a listing of the file names in `block`, each of which ends with a zero byte. An incomplete last name
        is left out."""
        names = block[: block.rfind(b"\0") + 1]
        return cls(names, names.lower(), is_complete)


class NameBlock:
    """A sink for names that each end with a zero byte. The names are kept as one block, because an object for each
    takes time. If the budget is spent or there are more than `most` names, `feed` returns "enough" and `is_cut`
    is true."""

    def __init__(self, budget: Budget, most: int) -> None:
        self._budget = budget
        self._left = most
        self.kept = bytearray(b"\0")
        self.is_cut = False

    def feed(self, chunk: bytes) -> str:
        self._left -= chunk.count(b"\0")
        if self._left < 0 or not self._budget.spend(BLOCK_COPIES * len(chunk)):
            self.is_cut = True
            return "enough"
        self.kept += chunk
        return ""


class FoundNames(NamedTuple):
    """The names of files that a search found, without `./`, the best matches first. `is_cut`: there may be more."""

    names: list[str]
    is_cut: bool


class NameFinder:
    """A cache of the names in one folder at a time, for file searches of all threads."""

    def __init__(self, pool: MemoryPool) -> None:
        self._pool = pool
        self._lock = threading.Lock()
        self._place = ""
        self._listing: Listing | None = None
        self._made_at = 0.0
        self._taken = 0

    def listing(self, place: str, make: Callable[[], Listing]) -> Listing:
        """Return the listing of a folder: a stored listing that is still fresh, otherwise the result of `make`, for
        which other threads wait."""
        with self._lock:
            is_fresh = time.monotonic() - self._made_at < FRESH_SECONDS
            if self._listing is not None and self._place == place and is_fresh:
                return self._listing
            self._forget()
            found = make()
            size = COPIES * len(found.names)
            if size <= MAX_KEPT_BYTES and self._pool.take(size):
                self._place, self._listing, self._taken = place, found, size
                self._made_at = time.monotonic()
            return found

    def _forget(self) -> None:
        self._pool.give_back(self._taken)
        self._listing, self._taken = None, 0


def best_names(listing: Listing, text: str, limit: int) -> FoundNames:
    """Return at most `limit` names that contain the text; the case of ASCII letters does not matter.

    Names whose last part or whole path begins with the text come first, then names with the text in their last part; in
    each group, shorter names come before longer ones.
    """
    wanted = os.fsencode(text).lower()
    if not wanted or b"\0" in wanted:
        return FoundNames([], is_cut=False)
    candidates = set(_containing(listing, b"/" + wanted, MAX_CANDIDATES))
    is_cut = len(candidates) >= MAX_CANDIDATES
    if not is_cut:
        candidates.update(_containing(listing, wanted, MAX_CANDIDATES))
        is_cut = len(candidates) >= MAX_CANDIDATES
    found = heapq.nsmallest(limit, candidates, key=lambda name: _distance(name, wanted))
    shown = [os.fsdecode(name) for name in found]
    return FoundNames(shown, is_cut or len(candidates) > limit or not listing.is_complete)


def _containing(listing: Listing, wanted: bytes, most: int) -> Iterator[bytes]:
    """Yield at most `most` paths of the listing that contain the lower-case text `wanted`, ignoring case, without a
    leading `./` and without repeats."""
    at = listing.small.find(wanted)
    while at >= 0 and most > 0:
        start, end = listing.small.rfind(b"\0", 0, at) + 1, listing.small.find(b"\0", at)
        yield listing.names[start + 2 : end]
        most -= 1
        at = listing.small.find(wanted, end)


def _distance(name: bytes, wanted: bytes) -> tuple[int, int, bytes]:
    small = name.lower()
    last = small.rpartition(b"/")[2]
    if small.startswith(wanted) or last.startswith(wanted):
        return 0, len(name), name
    return (1 if wanted in last else 2), len(name), name
