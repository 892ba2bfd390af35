"""Measure the resources that the workspace uses: memory, processes and CPU from its control groups (v1 and v2), disk
and /tmp."""

import os
import threading
import time
from collections.abc import Mapping
from typing import Any, Final

from .budgets import MemoryPool
from .disk_use import count
from .limits import EXT4_DISK, MIB, Allowance
from .privileges import Identity
from .tree import HOME, Tree

CONTROL_GROUPS: Final = "/sys/fs/cgroup"
TMP: Final = "/tmp"  # noqa: S108 - it is only measured
COUNT_TTL: Final = 4.0  # seconds for which a count of the disk is reused
COUNT_TTL_FACTOR: Final = 20  # it is reused longer if counting took long: this many times the duration
UNLIMITED: Final = 1 << 60
"""Version 1 of control groups reports a number above this for no limit."""
MAX_FILE_BYTES: Final = 1 << 16  # read of a control group's file
NANOSECOND: Final = 1e-9
MICROSECOND: Final = 1e-6

VERSION_1: Final[Mapping[str, str]] = {
    "memory": "memory/memory.usage_in_bytes",
    "memory limit": "memory/memory.limit_in_bytes",
    "memory details": "memory/memory.stat",
    "cache": "total_inactive_file",
    "kills": "memory/memory.oom_control",
    "pids": "pids/pids.current",
    "pids limit": "pids/pids.max",
    "refused": "pids/pids.events",
    "cpu": "cpuacct/cpuacct.usage",
}
VERSION_2: Final[Mapping[str, str]] = {
    "memory": "memory.current",
    "memory limit": "memory.max",
    "memory details": "memory.stat",
    "cache": "inactive_file",
    "kills": "memory.events",
    "pids": "pids.current",
    "pids limit": "pids.max",
    "refused": "pids.events",
    "cpu": "cpu.stat",
}


class ControlGroups:
    """Reader of the files of the container's own control group. A file that the kernel does not have counts as 0."""

    def __init__(self, folder: str = CONTROL_GROUPS) -> None:
        self._is_v2 = os.path.exists(f"{folder}/cgroup.controllers")
        self._names = VERSION_2 if self._is_v2 else VERSION_1
        self._folder = folder
        self._fds: dict[str, int] = {}

    def memory(self) -> tuple[int, int]:
        """Return the memory in use without inactive file cache, and the limit, in bytes."""
        cached = self._entry("memory details", self._names["cache"])
        return max(0, self._number("memory") - cached), self._limit("memory limit")

    def pids(self) -> tuple[int, int]:
        """Return the number of processes and threads, and the limit."""
        return self._number("pids"), self._limit("pids limit")

    def kills(self) -> int:
        """Return how many processes were killed because memory ran out."""
        return self._entry("kills", "oom_kill")

    def refused_processes(self) -> int:
        """Return how often a new process was refused because of the process limit."""
        return self._entry("refused", "max")

    def cpu_seconds(self) -> float:
        """Return the CPU time that the container has used."""
        if self._is_v2:
            return self._entry("cpu", "usage_usec") * MICROSECOND
        return self._number("cpu") * NANOSECOND

    def cpus(self) -> float:
        """Return how many CPUs may be used, 0 if there is no limit."""
        if self._is_v2:
            quota, _, period = self._text("cpu.max").partition(" ")
        else:
            quota, period = self._text("cpu/cpu.cfs_quota_us"), self._text("cpu/cpu.cfs_period_us")
        return int(quota) / int(period) if quota.isdigit() and period.isdigit() and int(period) else 0.0

    def _number(self, what: str) -> int:
        text = self._text(self._names[what])
        return int(text) if text.isdigit() else 0

    def _limit(self, what: str) -> int:
        number = self._number(what)
        return number if number < UNLIMITED else 0

    def _entry(self, what: str, name: str) -> int:
        for line in self._text(self._names[what]).splitlines():
            key, _, value = line.partition(" ")
            if key == name and value.isdigit():
                return int(value)
        return 0

    def _text(self, name: str) -> str:
        """Return the content of a file of the control group. Files stay open: some are read at the beginning and end of
        every command."""
        try:
            if name not in self._fds:
                self._fds[name] = os.open(f"{self._folder}/{name}", os.O_RDONLY | os.O_CLOEXEC)
            return os.pread(self._fds[name], MAX_FILE_BYTES, 0).decode().strip()
        except OSError:
            return ""


class Meters:
    """Meters of the workspace's use of memory, processes, disk and CPU."""

    def __init__(
        self,
        tree: Tree,
        identity: Identity,
        allowance: Allowance,
        pool: MemoryPool,
        groups: ControlGroups | None = None,
    ) -> None:
        self._tree = tree
        self._identity = identity
        self._allowance = allowance
        self._pool = pool
        self.groups = groups or ControlGroups()
        self._counting = threading.Lock()
        self._counted: tuple[int, int] = (0, 0)
        self._count_after = 0.0

    def usage(self) -> dict[str, Any]:
        """Return the fields of `sandbox.limits.Usage`."""
        disk, inodes = self.disk()
        memory, pids, allowance = self.groups.memory(), self.groups.pids(), self._allowance
        return {
            "memory": gauge(memory[0], memory[1] or allowance.memory_mib * MIB),
            "pids": gauge(pids[0], pids[1] or allowance.pids),
            "disk": gauge(*disk),
            "inodes": gauge(*inodes),
            "tmp": gauge(*self.tmp()),
            "cpu_seconds": self.groups.cpu_seconds(),
            "cpus": self.groups.cpus() or allowance.cpus or float(os.cpu_count() or 1),
            "at": time.time(),
        }

    @property
    def disk_reports_use(self) -> bool:
        """Return whether the disk itself reports its use. If not, its files have to be counted."""
        return self._allowance.disk == EXT4_DISK

    def disk(self) -> tuple[tuple[int, int], tuple[int, int]]:
        """Return the use of the disk: (used, limit) in bytes, and (used, limit) in inodes."""
        if self.disk_reports_use:
            return file_system_use(os.fstatvfs(self._tree.root_fd), self._allowance)
        used, found = self._count()
        return (used, self._allowance.disk_mib * MIB), (found, self._allowance.inodes)

    def tmp(self) -> tuple[int, int]:
        """Return the bytes used in /tmp and the limit.

        /tmp is a file system of its own, as large as its limit, only in a container. Elsewhere the limit is 0.
        """
        status = os.statvfs(TMP)
        used = (status.f_blocks - status.f_bfree) * status.f_frsize
        return used, status.f_blocks * status.f_frsize if self._allowance.tmp_mib else 0

    def _count(self) -> tuple[int, int]:
        with self._counting:
            if time.monotonic() >= self._count_after:
                began = time.monotonic()
                self._counted = self._count_now()
                took = time.monotonic() - began
                self._count_after = time.monotonic() + max(COUNT_TTL, COUNT_TTL_FACTOR * took)
            return self._counted

    def _count_now(self) -> tuple[int, int]:
        with (
            self._pool.budget() as budget,
            self._identity.as_tool_user(),
            self._tree.opened(HOME, os.O_PATH | os.O_DIRECTORY) as (home_fd, _),
        ):
            parts = [count(self._tree.root_fd, budget), count(home_fd, budget)]
        return sum(part[0] for part in parts), sum(part[1] for part in parts)


def file_system_use(status: os.statvfs_result, allowance: Allowance) -> tuple[tuple[int, int], tuple[int, int]]:
    """Return the use that a file system reports, and the limits: (used, limit) in bytes, and in inodes.

    The file system may be larger than the limits. Reserved space, which the tool user cannot use, counts neither as
    used nor as free. If nothing is free, the disk is always reported as full.
    """
    files = (status.f_blocks - status.f_bfree) * status.f_frsize
    left = status.f_bavail * status.f_frsize
    limit = allowance.disk_mib * MIB or files + left
    used = limit - left if left < limit else files
    names = min(allowance.inodes or status.f_files, status.f_files)
    return (used if left else max(limit, files), limit), (status.f_files - status.f_favail, names)


def gauge(used: int, limit: int) -> dict[str, int]:
    return {"used": used, "limit": limit}
