"""Sees that a limit was met, while calls run, and tells each call once for each kind.

Counters of the control groups say exactly when a process was killed or refused. That a disk is full or a process has
too many files open shows only while it is so: a thread looks twice a second while calls run, and at once when a
command writes the words that go with it. It sleeps while none runs.
"""

import os
import threading
from collections import Counter
from typing import Final, Protocol

from .limits import MIB, Allowance, Hit, hit
from .meters import Meters
from .privileges import Identity
from .process_cleanup import marks_of, owner_of, read_numbers, read_processes
from .processes import Job
from .retries import Trouble

TICK: Final = 0.5
NEARLY: Final = 64 << 10
"""Bytes of a disk that count as none: less cannot always be given out."""
SCARCE: Final = 4 << 20
"""Less than this may be refused to a single write, for which the kernel wants room for all of it at once."""
FEW_NAMES: Final = 8
FILES_MARGIN: Final = 8
"""A process at its limit may just have closed some."""
FEW: Final = 64
LOOKS: Final = 8
"""In which all processes were asked how many files they have open: 4 s. Asking 512 of them each time took 5 % of a
processor, on which neighbours wait."""
MOST: Final = 0.5
NO_SPACE: Final = "space"
NO_FILES: Final = "files"
EVIDENCE: Final = {
    b"No space left on device": NO_SPACE,
    b"Disk quota exceeded": NO_SPACE,
    b"Too many open files": NO_FILES,
}
LONGEST_EVIDENCE: Final = max(map(len, EVIDENCE))


class Watched(Protocol):
    """A call as it is seen from here."""

    call_id: str
    job: Job
    hits: list[Hit]

    @property
    def evidence(self) -> frozenset[str]: ...

    @property
    def flood_limit(self) -> int: ...


class Turns:
    """Whom of a crowd to ask now: all in `LOOKS` turns, at least `FEW` in each."""

    def __init__(self) -> None:
        self._last = 0

    def next(self, pids: list[int]) -> list[int]:
        later = [pid for pid in pids if pid > self._last] or pids
        some = sorted(later)[: max(FEW, len(pids) // LOOKS)]
        self._last = max(some, default=0)
        return some


class LimitWatch:
    def __init__(self, meters: Meters, identity: Identity, allowance: Allowance) -> None:
        self._meters = meters
        self._identity = identity
        self.allowance = allowance
        self._lock = threading.Lock()
        self._calls: list[Watched] = []
        self._seen = {"memory": 0, "pids": 0}
        self._full: frozenset[str] = frozenset()
        self._turns = Turns()
        self._somebody = threading.Event()
        self._hurry = threading.Event()
        threading.Thread(target=self._serve, name="limits", daemon=True).start()

    def begin(self, call: Watched) -> None:
        with self._lock:
            if not self._calls:
                self._seen, self._full = self._counters(), frozenset(self._full_places())
            self._calls.append(call)
        self._somebody.set()

    def hurry(self) -> None:
        """A command wrote words that go with a limit."""
        self._hurry.set()

    def end(self, call: Watched) -> None:
        """One last look, so that it knows its limits before its result is remembered."""
        with self._lock:
            try:
                self._look(self._full_places())
                self._look_at_end(call)
            finally:
                self._calls.remove(call)
                if not self._calls:
                    self._somebody.clear()

    def _serve(self) -> None:
        trouble = Trouble()
        while True:
            self._somebody.wait()
            self._hurry.wait(TICK)
            self._hurry.clear()
            try:
                self.look()
            except Exception as error:  # noqa: BLE001 - not to see a limit for a moment ends no call
                trouble.meet(error)
            trouble.pause()

    def look(self) -> None:
        """Counting a disk may take a while, and is done before others have to wait."""
        full, crowded = {*self._full_places(), *self._full_counted()}, self._crowded_marks()
        with self._lock:
            self._look(full)
            for call in self._calls:
                if call.job.mark in crowded:
                    _tell(call, hit("open_files", self.allowance.open_files, call.call_id))

    def _look(self, full: set[str]) -> None:
        counters = self._counters()
        for kind in counters:
            if counters[kind] > self._seen[kind]:
                self._blame(kind)
        for kind in full - self._full:
            self._blame(kind)
        refused = [call for call in self._calls if NO_SPACE in call.evidence]
        for kind in (full or self._scarce()) if refused else ():
            for call in refused:
                _tell(call, hit(kind, self._limit_of(kind), call.call_id))
        self._seen, self._full = counters, frozenset(full)

    def _look_at_end(self, call: Watched) -> None:
        job = call.job
        if job.reason == "timeout":
            _tell(call, hit("time", job.timeout, call.call_id))
        if job.reason == "flooded":
            _tell(call, hit("output", call.flood_limit / MIB, call.call_id))
        if NO_FILES in call.evidence and job.exit_code:
            _tell(call, hit("open_files", self.allowance.open_files, call.call_id))

    def _blame(self, kind: str) -> None:
        """The only call, or the one that most processes belong to; all of them without a name when it is not clear."""
        guilty = self._calls
        if kind == "pids" and len(guilty) > 1:
            guilty = self._with_most_processes() or guilty
        name = guilty[0].call_id if len(guilty) == 1 else ""
        for call in guilty:
            _tell(call, hit(kind, self._limit_of(kind), name))

    def _with_most_processes(self) -> list[Watched]:
        if not self._identity.split:
            return []
        marks: Counter[int] = Counter()
        for process in read_processes():
            if (owner := owner_of(process.pid)) and owner.groups:
                marks.update(dict.fromkeys(owner.groups, owner.threads))
        return [call for call in self._calls if marks[call.job.mark] > MOST * marks.total()]

    def _counters(self) -> dict[str, int]:
        groups = self._meters.groups
        return {"memory": groups.kills(), "pids": groups.refused_processes()}

    def _full_places(self) -> set[str]:
        """Of those that tell at once."""
        full = {"tmp"} if _is_full(self._meters.tmp(), NEARLY) else set()
        return full | self._full_disk() if self._meters.disk_tells else full | (self._full & {"disk", "inodes"})

    def _full_counted(self) -> set[str]:
        return set() if self._meters.disk_tells or not self.allowance.disk_mib else self._full_disk()

    def _full_disk(self) -> set[str]:
        disk, inodes = self._meters.disk()
        full = {"disk": _is_full(disk, NEARLY), "inodes": _is_full(inodes, FEW_NAMES)}
        return {kind for kind in full if full[kind]}

    def _scarce(self) -> set[str]:
        """What a command means that found no space where nothing is full."""
        return {"disk"} if self._meters.disk_tells and _is_full(self._meters.disk()[0], SCARCE) else set()

    def _crowded_marks(self) -> set[int]:
        """Marks of processes with nearly as many files open as they may have. Of a crowd some are asked each time."""
        if not self._identity.split:
            return set()
        crowded = self._crowded(self._turns.next(read_numbers()))
        return set().union(*map(marks_of, crowded))

    def _crowded(self, pids: list[int]) -> list[int]:
        """As the tool user: only he may look into his processes."""
        least = self.allowance.open_files - FILES_MARGIN
        with self._identity.as_tool_user():
            return [pid for pid in pids if _open_files(pid) >= least]

    def _limit_of(self, kind: str) -> float:
        allowance, usage = self.allowance, self._meters
        if kind == "memory":
            return usage.groups.memory()[1] / MIB or allowance.memory_mib
        if kind == "pids":
            return usage.groups.pids()[1] or allowance.pids
        return {"disk": allowance.disk_mib, "inodes": allowance.inodes, "tmp": allowance.tmp_mib}[kind]


def find_evidence(output: bytearray, start: int) -> frozenset[str]:
    """Of limits, in what a command wrote from `start` on or just before it."""
    begin = max(0, start - LONGEST_EVIDENCE)
    return frozenset(kind for words, kind in EVIDENCE.items() if output.find(words, begin) >= 0)


def _tell(call: Watched, new: Hit) -> None:
    with call.job.condition:
        if new.kind not in {old.kind for old in call.hits}:
            call.hits.append(new)
            call.job.condition.notify_all()


def _open_files(pid: int) -> int:
    """Its folder's size where the kernel says so (6.2 and later), else its names."""
    folder = f"/proc/{pid}/fd"
    try:
        return os.stat(folder).st_size or len(os.listdir(folder))
    except OSError:
        return 0


def _is_full(use: tuple[int, int], margin: int) -> bool:
    used, limit = use
    return limit > 0 and used + margin > limit
