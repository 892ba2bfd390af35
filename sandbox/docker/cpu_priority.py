"""Move containers that have been CPU-bound for a while to the scheduler's idle class.

The kernel divides processors evenly between containers in slices of some milliseconds. A command that needs less than
one slice would otherwise wait for a slice of each CPU-bound container. A thread therefore polls every container a few
times per second. A container that computes all the time moves to the idle class: it gets all processor time that the
others leave, and is pre-empted at once. It moves back when it has nothing left to run.

CPU-bound containers share the processors as before. On kernels without an idle class for control groups (before 5.15),
nothing happens.
"""

import contextlib
import threading
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

CONTROL_GROUPS: Final = Path("/sys/fs/cgroup")
POLL_INTERVAL: Final = 0.2
"""Seconds between two polls. One poll takes 0.03 ms per container."""
BUSY_SHARE: Final = 0.9
"""Share of one processor, over one interval, that counts as computing all the time. A sequence of short commands takes
0.7."""
QUIET_SHARE: Final = 0.1  # of one processor; less counts as doing nothing
BUSY_POLLS: Final = 4
"""Consecutive polls in which a container is runnable until it counts as CPU-bound. On a busy machine, no container may
reach BUSY_SHARE."""
MAX_SAMPLED_PROCESSES: Final = 48
"""Upper bound of processes that are checked per container and poll. Reading all 512 sleeping processes of a fork bomb
took 10 ms, which delayed answers to other containers."""
NANOSECOND: Final = 1e-9
MICROSECOND: Final = 1e-6


class CpuGroup:
    """The CPU control group of a container, in version 1 or 2. Every method raises OSError if the group is gone.

    `memberships` is the content of /proc/<pid>/cgroup of one of its processes.
    """

    def __init__(self, memberships: str, root: Path = CONTROL_GROUPS) -> None:
        paths = _controllers(memberships)
        self._is_version_2 = (root / "cgroup.controllers").exists()
        controllers = ("", "") if self._is_version_2 else ("cpu", "cpuacct")
        folders = [root / controller / paths.get(controller, "missing").lstrip("/") for controller in controllers]
        self._folder, self._accounts = folders

    def cpu_seconds(self) -> float:
        """Return the CPU time that the container has used so far."""
        if self._is_version_2:
            first_line = (self._accounts / "cpu.stat").read_text().partition("\n")[0]
            return int(first_line.split()[1]) * MICROSECOND
        return int((self._accounts / "cpuacct.usage").read_text()) * NANOSECOND

    def is_runnable(self) -> bool:
        """Return whether any process is running or ready to run now. In a large group, only a sample is checked."""
        pids = (self._folder / "cgroup.procs").read_text().split()
        return any(map(_is_running, pids[:: len(pids) // MAX_SAMPLED_PROCESSES + 1]))

    def set_idle(self, *, idle: bool) -> None:
        """Move the group to the idle class, or back to the normal one."""
        (self._folder / "cpu.idle").write_text(str(int(idle)))


class WatchedContainer:
    """A container and its recent CPU usage.

    `is_idle` is None before the first decision, because an earlier process may have left the container's cgroup in the
    idle or the normal class.
    """

    def __init__(self, group: CpuGroup, workspace_id: str = "") -> None:
        self._group = group
        self.workspace_id = workspace_id
        self._used = group.cpu_seconds()
        self._polled_at = time.monotonic()
        self._runnable_polls = 0
        self.is_idle: bool | None = None

    def poll(self) -> None:
        """Measure the CPU usage and move the container to the idle class or back.

        A container that gets no CPU time at all in the idle class, because processes of the host use everything, leaves
        it for one interval, so that its runner can answer.
        """
        share = self._share()
        runnable = (share > QUIET_SHARE or bool(self.is_idle)) and self._group.is_runnable()
        self._runnable_polls = self._runnable_polls + 1 if runnable else 0
        computes = share > BUSY_SHARE or self._runnable_polls >= BUSY_POLLS or (bool(self.is_idle) and runnable)
        is_idle = computes and not (self.is_idle and share < QUIET_SHARE)
        if is_idle != self.is_idle:
            self._group.set_idle(idle=is_idle)
            self.is_idle = is_idle

    def leave_idle(self) -> None:
        """Move the container back to the normal class if it is in the idle class. Errors of the kernel are ignored."""
        if self.is_idle:
            with contextlib.suppress(OSError):
                self._group.set_idle(idle=False)
                self.is_idle = False

    def _share(self) -> float:
        """Return the CPU time used since the last poll, as a share of one processor."""
        used, now = self._group.cpu_seconds(), time.monotonic()
        share = (used - self._used) / max(now - self._polled_at, POLL_INTERVAL / 2)
        self._used, self._polled_at = used, now
        return share


class CpuPriorityMonitor:
    """A poller of all watched containers, in a thread that runs while at least one container is watched."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._watched: dict[str, WatchedContainer] = {}
        self._paused: set[str] = set()
        self._closed = threading.Event()
        self._thread: threading.Thread | None = None

    def watch(self, container_id: str, pid: int, workspace_id: str = "") -> None:
        """Watch a container until it ends. Harmless to repeat.

        `pid` is one of its processes, in the host's numbering.
        """
        with contextlib.suppress(OSError), self._lock:
            memberships = Path(f"/proc/{pid}/cgroup").read_text()
            if container_id not in memberships or container_id in self._watched or self._closed.is_set():
                return
            self._watched[container_id] = WatchedContainer(CpuGroup(memberships), workspace_id)
            if self._thread is None:
                self._thread = threading.Thread(target=self._serve, name="cpu-priority", daemon=True)
                self._thread.start()

    @contextlib.contextmanager
    def paused(self, workspace_id: str) -> Iterator[None]:
        """Exempt a workspace's container from the idle class during the block."""
        with self._lock:
            self._paused.add(workspace_id)
            for watched in self._watched.values():
                if watched.workspace_id == workspace_id:
                    watched.leave_idle()
        try:
            yield
        finally:
            with self._lock:
                self._paused.discard(workspace_id)

    def close(self) -> None:
        self._closed.set()

    def _serve(self) -> None:
        while not self._closed.wait(POLL_INTERVAL):
            with self._lock:
                self.poll_all()
                if not self._watched:
                    self._thread = None
                    return

    def poll_all(self) -> None:
        """Poll the containers that are not paused, and stop watching containers that are gone."""
        self._watched = {
            name: watched
            for name, watched in self._watched.items()
            if watched.workspace_id in self._paused or poll_container(watched)
        }


def poll_container(watched: WatchedContainer) -> bool:
    """Measure the CPU usage of a container, and set its class. Returns False if its control group is gone, or if the
    kernel has no idle class."""
    try:
        watched.poll()
    except (OSError, ValueError, IndexError):
        return False
    return True


def _controllers(memberships: str) -> Mapping[str, str]:
    """Return the path of the cgroup of each controller. cgroup v2 has a single path, under ""."""
    lines = (line.split(":", 2) for line in memberships.splitlines())
    return {name: path for _, names, path in lines for name in names.split(",")}


def _is_running(pid: str) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()[0] == b"R"
    except (OSError, IndexError):
        return False
