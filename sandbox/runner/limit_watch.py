"""Detect that a limit was reached while calls run, and notify each call once per kind of limit.

Control group counters tell exactly when a process was killed or refused. A full disk, or a process with too many open
files, can be observed only while it lasts: a thread checks twice a second while calls run, and at once when a command
writes an error message that suggests a limit. The thread sleeps while no call runs.
"""

import os
import threading
from collections import Counter
from typing import Final, Protocol

from .limits import MIB, Allowance, LimitHit, hit
from .meters import Meters
from .privileges import Identity
from .process_cleanup import marks_of, owner_of, read_pids, read_processes
from .processes import Job
from .retries import FailureTracker

TICK: Final = 0.5  # seconds between two checks
FULL_MARGIN_BYTES: Final = 64 << 10
"""A disk with less than this left counts as full: the last bytes cannot always be allocated."""
SCARCE_BYTES: Final = 4 << 20
"""With less than this left a single write may be refused: the kernel wants room for all of it at once."""
FULL_MARGIN_INODES: Final = 8  # a disk with fewer inodes left counts as full
OPEN_FILES_MARGIN: Final = 8
"""A process this close to its limit counts as at it: it may just have closed some files."""
MIN_PIDS_PER_TICK: Final = 64  # at least this many processes (or all) are checked each time
TICKS_PER_CYCLE: Final = 8
"""Number of checks in which the open files of every process are counted once: 4 s. Counting those of 512 processes in
every check took 5 % of a processor and delayed other containers."""
MAJORITY: Final = 0.5  # share of all processes above which one call alone is held responsible for the process limit
NO_SPACE: Final = "space"
NO_FILES: Final = "files"
EVIDENCE: Final = {
    b"No space left on device": NO_SPACE,
    b"Disk quota exceeded": NO_SPACE,
    b"Too many open files": NO_FILES,
}
"""Error messages that suggest a reached limit, and its kind."""
MAX_EVIDENCE_BYTES: Final = max(map(len, EVIDENCE))


class WatchedCall(Protocol):
    """The attributes of a running call that this module uses."""

    call_id: str
    job: Job
    hits: list[LimitHit]

    @property
    def evidence(self) -> frozenset[str]: ...

    @property
    def flood_limit(self) -> int: ...


class PidSampler:
    """Round-robin sampler of process ids.

    `next` returns the pids to check now, so that each is checked once per `TICKS_PER_CYCLE` checks. It returns at least
    `MIN_PIDS_PER_TICK`, or all if there are fewer.
    """

    def __init__(self) -> None:
        self._last = 0

    def next(self, pids: list[int]) -> list[int]:
        later = [pid for pid in pids if pid > self._last] or pids
        some = sorted(later)[: max(MIN_PIDS_PER_TICK, len(pids) // TICKS_PER_CYCLE)]
        self._last = max(some, default=0)
        return some


class LimitWatch:
    """A monitor of the workspace's limits for all running calls, on a thread of its own."""

    def __init__(self, meters: Meters, identity: Identity, allowance: Allowance) -> None:
        self._meters = meters
        self._identity = identity
        self.allowance = allowance
        self._lock = threading.Lock()
        self._calls: list[WatchedCall] = []
        self._seen = {"memory": 0, "pids": 0}
        self._full: frozenset[str] = frozenset()
        self._sampler = PidSampler()
        self._has_calls = threading.Event()
        self._check_now = threading.Event()
        threading.Thread(target=self._serve, name="limits", daemon=True).start()

    def begin(self, call: WatchedCall) -> None:
        """Watch a call from now on."""
        with self._lock:
            if not self._calls:
                self._seen, self._full = self._counters(), frozenset(self._full_kinds())
            self._calls.append(call)
        self._has_calls.set()

    def check_soon(self) -> None:
        """Check the limits at once. Called when a command wrote an error message that suggests a limit."""
        self._check_now.set()

    def end(self, call: WatchedCall) -> None:
        """Check the limits once more for a call that has ended, before its result is recorded, and stop watching it."""
        with self._lock:
            try:
                self._check(self._full_kinds())
                self._check_ended_call(call)
            finally:
                self._calls.remove(call)
                if not self._calls:
                    self._has_calls.clear()

    def _serve(self) -> None:
        failures = FailureTracker()
        while True:
            self._has_calls.wait()
            self._check_now.wait(TICK)
            self._check_now.clear()
            try:
                self.check()
            except Exception as error:  # noqa: BLE001 - a failed check must not end any call
                failures.record(error)
            failures.back_off()

    def check(self) -> None:
        """Check all limits, and notify the calls that reached one.

        The disk is measured before the lock is acquired, because measuring may take long.
        """
        full, crowded = {*self._full_kinds(), *self._full_counted()}, self._crowded_marks()
        with self._lock:
            self._check(full)
            for call in self._calls:
                if call.job.mark in crowded:
                    _notify(call, hit("open_files", self.allowance.open_files, call.call_id))

    def _check(self, full: set[str]) -> None:
        counters = self._counters()
        for kind in counters:
            if counters[kind] > self._seen[kind]:
                self._notify_responsible(kind)
        for kind in full - self._full:
            self._notify_responsible(kind)
        refused = [call for call in self._calls if NO_SPACE in call.evidence]
        for kind in (full or self._scarce()) if refused else ():
            for call in refused:
                _notify(call, hit(kind, self._limit_of(kind), call.call_id))
        self._seen, self._full = counters, frozenset(full)

    def _check_ended_call(self, call: WatchedCall) -> None:
        job = call.job
        if job.reason == "timeout":
            _notify(call, hit("time", job.timeout, call.call_id))
        if job.reason == "flooded":
            _notify(call, hit("output", call.flood_limit / MIB, call.call_id))
        if NO_FILES in call.evidence and job.exit_code:
            _notify(call, hit("open_files", self.allowance.open_files, call.call_id))

    def _notify_responsible(self, kind: str) -> None:
        """Notify the call that has reached the limit of this kind.

        That is the only running call or, for the process limit, the one with the most processes. If it is not clear
        which call caused the limit, all running calls are notified and the notice names no call.
        """
        guilty = self._calls
        if kind == "pids" and len(guilty) > 1:
            guilty = self._with_most_processes() or guilty
        name = guilty[0].call_id if len(guilty) == 1 else ""
        for call in guilty:
            _notify(call, hit(kind, self._limit_of(kind), name))

    def _with_most_processes(self) -> list[WatchedCall]:
        if not self._identity.separates_users:
            return []
        marks: Counter[int] = Counter()
        for process in read_processes():
            if (owner := owner_of(process.pid)) and owner.groups:
                marks.update(dict.fromkeys(owner.groups, owner.threads))
        return [call for call in self._calls if marks[call.job.mark] > MAJORITY * marks.total()]

    def _counters(self) -> dict[str, int]:
        groups = self._meters.groups
        return {"memory": groups.kills(), "pids": groups.refused_processes()}

    def _full_kinds(self) -> set[str]:
        """Return which of tmp, disk and inodes are full, as far as that is known without counting files."""
        full = {"tmp"} if _is_full(self._meters.tmp(), FULL_MARGIN_BYTES) else set()
        return full | self._full_disk() if self._meters.disk_reports_use else full | (self._full & {"disk", "inodes"})

    def _full_counted(self) -> set[str]:
        """Return which of "disk" and "inodes" are full, for a limited disk that does not report its use, so that its
        files have to be counted."""
        return set() if self._meters.disk_reports_use or not self.allowance.disk_mib else self._full_disk()

    def _full_disk(self) -> set[str]:
        disk, inodes = self._meters.disk()
        full = {"disk": _is_full(disk, FULL_MARGIN_BYTES), "inodes": _is_full(inodes, FULL_MARGIN_INODES)}
        return {kind for kind in full if full[kind]}

    def _scarce(self) -> set[str]:
        """Return {"disk"} if less than SCARCE_BYTES of the disk are left, so that a single write may be refused."""
        return {"disk"} if self._meters.disk_reports_use and _is_full(self._meters.disk()[0], SCARCE_BYTES) else set()

    def _crowded_marks(self) -> set[int]:
        """Return the group ids (marks) of tool calls with a process close to its limit of open files. Only a sample of
        processes is checked each time."""
        if not self._identity.separates_users:
            return set()
        crowded = self._crowded(self._sampler.next(read_pids()))
        return set().union(*map(marks_of, crowded))

    def _crowded(self, pids: list[int]) -> list[int]:
        """Return the pids of processes close to their limit of open files. Runs as the tool user, because only this
        user may read /proc/<pid>/fd."""
        least = self.allowance.open_files - OPEN_FILES_MARGIN
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
    """Return the kinds of limit suggested by output from `start` on, or by a message that begins just before it."""
    begin = max(0, start - MAX_EVIDENCE_BYTES)
    return frozenset(kind for words, kind in EVIDENCE.items() if output.find(words, begin) >= 0)


def _notify(call: WatchedCall, new: LimitHit) -> None:
    """Add a limit hit to the call and wake its watchers, unless the call already has a hit of the same kind."""
    with call.job.condition:
        if new.kind not in {old.kind for old in call.hits}:
            call.hits.append(new)
            call.job.condition.notify_all()


def _open_files(pid: int) -> int:
    """Return the number of open files of a process, 0 if it has ended.

    From Linux 6.2 on this is the size of the folder /proc/<pid>/fd; for older kernels, the names in the folder are
    counted.
    """
    folder = f"/proc/{pid}/fd"
    try:
        return os.stat(folder).st_size or len(os.listdir(folder))
    except OSError:
        return 0


def _is_full(use: tuple[int, int], margin: int) -> bool:
    """Return whether less than `margin` of a resource is left. `use` is (used, limit); the limit 0 means unlimited."""
    used, limit = use
    return limit > 0 and used + margin > limit
