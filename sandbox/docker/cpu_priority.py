"""Whoever computes for long lets those go first who want little.

The kernel divides processors evenly between containers, and gives each a turn of some milliseconds: a command that
takes no longer than that waits a turn of each neighbour who computes. So a thread looks at every container a few times
a second. One that has been computing all the time goes into the scheduler's idle class: it gets whatever nobody else
wants, and gives it up at once. It is back when it has nothing left to run.

Workspaces that compute for long divide among themselves as before. Where a kernel has no idle class for groups
(before 5.15), nothing happens.
"""

import contextlib
import threading
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Final

CONTROL_GROUPS: Final = Path("/sys/fs/cgroup")
TICK: Final = 0.2
"""Seconds between two looks; a look costs 0.03 ms for each container."""
LONG: Final = 0.9
"""Of one processor, over a tick: that is computing all the time. One short command after the other takes 0.7."""
LITTLE: Final = 0.1
LOOKS: Final = 4
"""On a busy machine nobody gets that much: who had something to run each time in so many looks computes, too."""
SAMPLE: Final = 48
"""Processes asked in one look, of whom so many are there: 512 of them, which a fork bomb leaves asleep, took 10 ms each
time, in which whoever waits for an answer of another container waits too."""
NANOSECOND: Final = 1e-9
MICROSECOND: Final = 1e-6


class Group:
    """The control group of a container, in both versions. Everything raises OSError when it is gone."""

    def __init__(self, memberships: str, root: Path = CONTROL_GROUPS) -> None:
        """`memberships`: what /proc/<pid>/cgroup says of one of its processes."""
        paths = _controllers(memberships)
        self._is_second = (root / "cgroup.controllers").exists()
        controllers = ("", "") if self._is_second else ("cpu", "cpuacct")
        folders = [root / controller / paths.get(controller, "missing").lstrip("/") for controller in controllers]
        self._folder, self._accounts = folders

    def cpu_seconds(self) -> float:
        if self._is_second:
            first_line = (self._accounts / "cpu.stat").read_text().partition("\n")[0]
            return int(first_line.split()[1]) * MICROSECOND
        return int((self._accounts / "cpuacct.usage").read_text()) * NANOSECOND

    def wants_to_run(self) -> bool:
        """Whether any of its processes has something to do just now; of a crowd, any of those asked."""
        pids = (self._folder / "cgroup.procs").read_text().split()
        return any(map(_is_running, pids[:: len(pids) // SAMPLE + 1]))

    def give_way(self, *, yes: bool) -> None:
        (self._folder / "cpu.idle").write_text(str(int(yes)))


class Watched:
    """`gives_way` is None until it was decided for the first time: another service may have left it as it is."""

    def __init__(self, group: Group) -> None:
        self._group = group
        self._used = group.cpu_seconds()
        self._looked = time.monotonic()
        self._wanted = 0
        self.gives_way: bool | None = None

    def look(self) -> None:
        """Who gets nothing at all in the idle class, because the machine's own processes take everything, is let out
        of it for a look: its runner has to answer."""
        share = self._share()
        wants = (share > LITTLE or bool(self.gives_way)) and self._group.wants_to_run()
        self._wanted = self._wanted + 1 if wants else 0
        computes = share > LONG or self._wanted >= LOOKS or (bool(self.gives_way) and wants)
        gives_way = computes and not (self.gives_way and share < LITTLE)
        if gives_way != self.gives_way:
            self._group.give_way(yes=gives_way)
            self.gives_way = gives_way

    def _share(self) -> float:
        """What it used of one processor since the last look."""
        used, now = self._group.cpu_seconds(), time.monotonic()
        share = (used - self._used) / max(now - self._looked, TICK / 2)
        self._used, self._looked = used, now
        return share


class Courtesy:
    """Its thread runs while there is a container to look at."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._watched: dict[str, Watched] = {}
        self._closed = threading.Event()
        self._thread: threading.Thread | None = None

    def watch(self, container_id: str, pid: int) -> None:
        """From now on until it ends; `pid` is one of its processes. Harmless to repeat."""
        with contextlib.suppress(OSError), self._lock:
            memberships = Path(f"/proc/{pid}/cgroup").read_text()
            if container_id not in memberships or container_id in self._watched or self._closed.is_set():
                return
            self._watched[container_id] = Watched(Group(memberships))
            if self._thread is None:
                self._thread = threading.Thread(target=self._serve, name="courtesy", daemon=True)
                self._thread.start()

    def close(self) -> None:
        self._closed.set()

    def _serve(self) -> None:
        while not self._closed.wait(TICK):
            with self._lock:
                self._watched = {name: watched for name, watched in self._watched.items() if is_there(watched)}
                if not self._watched:
                    self._thread = None
                    return


def is_there(watched: Watched) -> bool:
    """After a look at it. False when its group is gone, or its kernel has no idle class."""
    try:
        watched.look()
    except (OSError, ValueError, IndexError):
        return False
    return True


def _controllers(memberships: str) -> Mapping[str, str]:
    lines = (line.split(":", 2) for line in memberships.splitlines())
    return {name: path for _, names, path in lines for name in names.split(",")}


def _is_running(pid: str) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()[0] == b"R"
    except (OSError, IndexError):
        return False
