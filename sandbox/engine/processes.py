"""Processes of this machine, and signals that cannot reach the wrong process.

Pids are reused. Before a process is signalled, it is opened as a pidfd and examined once more; the signal then goes to
the pidfd.
"""

import os
import signal
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

PROC: Final = Path("/proc")
TICKS_PER_SECOND: Final = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True, slots=True)
class HostProcess:
    """A process of this machine.

    `started` is in clock ticks since the machine's start. Together with the pid, it identifies a process permanently.
    """

    pid: int
    parent: int
    started: int
    command: tuple[str, ...]

    @property
    def program(self) -> str:
        return self.command[0].rpartition("/")[2]

    @property
    def age(self) -> float:
        """Return the seconds since the process started."""
        return time.clock_gettime(time.CLOCK_BOOTTIME) - self.started / TICKS_PER_SECOND


def read_process(pid: int) -> HostProcess | None:
    """Return the process with this pid; None if it is gone, a zombie or a kernel thread."""
    try:
        fields = (PROC / str(pid) / "stat").read_bytes().rpartition(b")")[2].split()
        command = os.fsdecode((PROC / str(pid) / "cmdline").read_bytes()).rstrip("\0").split("\0")
    except OSError:
        return None
    if fields[0] in (b"Z", b"X") or not command[0]:
        return None
    return HostProcess(pid, int(fields[1]), int(fields[19]), tuple(command))


def all_processes() -> Iterator[HostProcess]:
    for entry in PROC.iterdir():
        if entry.name.isdigit() and (process := read_process(int(entry.name))):
            yield process


def with_descendants(roots: Iterable[HostProcess], processes: Iterable[HostProcess]) -> dict[int, HostProcess]:
    """Return the processes and all of their descendants, by pid."""
    found = {process.pid: process for process in roots}
    others = [process for process in processes if process.pid not in found]
    while new := {process.pid: process for process in others if process.parent in found and process.pid not in found}:
        found |= new
    return found


def send_signal(
    process: HostProcess, number: signal.Signals, is_still_wanted: Callable[[HostProcess], bool] = lambda _: True
) -> bool:
    """Send a signal to the process and return whether it was sent. A new process with the same pid gets no signal.

    Nothing is sent if the process is gone, or if `is_still_wanted` returns False for its current state.
    """
    try:
        handle = os.pidfd_open(process.pid)
    except OSError:
        return False
    try:
        now = read_process(process.pid)
        if now is None or now.started != process.started or not is_still_wanted(now):
            return False
        with suppress(OSError):
            signal.pidfd_send_signal(handle, number)
            return True
        return False
    finally:
        os.close(handle)
