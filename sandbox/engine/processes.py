"""Processes of the machine, and signals that reach the one that was meant.

A pid is a number that is used again. Whoever looked at a process and wants to end it holds a descriptor of it first,
looks once more, and signals the descriptor.
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
TICKS: Final = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True, slots=True)
class Process:
    """`started` is in clock ticks since the machine's start: with the pid it names one process for ever."""

    pid: int
    parent: int
    started: int
    command: tuple[str, ...]

    @property
    def program(self) -> str:
        return self.command[0].rpartition("/")[2]

    @property
    def age(self) -> float:
        return time.clock_gettime(time.CLOCK_BOOTTIME) - self.started / TICKS


def read_process(pid: int) -> Process | None:
    """None when it is gone, is a zombie, or is a thread of the kernel."""
    try:
        fields = (PROC / str(pid) / "stat").read_bytes().rpartition(b")")[2].split()
        command = os.fsdecode((PROC / str(pid) / "cmdline").read_bytes()).rstrip("\0").split("\0")
    except OSError:
        return None
    if fields[0] in (b"Z", b"X") or not command[0]:
        return None
    return Process(pid, int(fields[1]), int(fields[19]), tuple(command))


def all_processes() -> Iterator[Process]:
    for entry in PROC.iterdir():
        if entry.name.isdigit() and (process := read_process(int(entry.name))):
            yield process


def with_descendants(roots: Iterable[Process], processes: Iterable[Process]) -> dict[int, Process]:
    """By pid."""
    found = {process.pid: process for process in roots}
    others = [process for process in processes if process.pid not in found]
    while new := {process.pid: process for process in others if process.parent in found and process.pid not in found}:
        found |= new
    return found


def send(process: Process, number: signal.Signals, is_still: Callable[[Process], bool] = lambda _: True) -> bool:
    """Whether the signal went out. It goes to this very process or to none, and only while `is_still` says so."""
    try:
        handle = os.pidfd_open(process.pid)
    except OSError:
        return False
    try:
        now = read_process(process.pid)
        if now is None or now.started != process.started or not is_still(now):
            return False
        with suppress(OSError):
            signal.pidfd_send_signal(handle, number)
            return True
        return False
    finally:
        os.close(handle)
