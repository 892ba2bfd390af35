"""Ending what commands started: a whole tree, and what escaped from one.

A background process leaves its group and session, clears its environment and loses its parent. What it cannot leave
is its call's mark: a supplementary group that `become` gave the command and that only root can take away. So when a
call ends, every process of the tool user that bears no live call's mark is killed, and when no call is live simply
everything the tool user has.

Where there are no marks (one user for all in unit tests, a kernel that does not tell groups) a process that became
the runner's child is judged by its session and its environment.
"""

import os
import time
from collections.abc import Callable, Iterable, Sequence
from signal import SIGCONT, SIGKILL, SIGSTOP
from typing import Final, NamedTuple

from .privileges import TOOL_UID, Identity
from .retries import persist

PATIENCE: Final = 2.0
CROWD: Final = 48
"""Processes in a container from which on it may be a bomb that is to be cleared away beside live calls."""
CALL_VARIABLE: Final = "SANDBOX_CALL"


class LiveCall(NamedTuple):
    """`tag` is in its environment, `mark` among its groups."""

    leader: int
    tag: str
    mark: int


class Process(NamedTuple):
    pid: int
    parent: int
    session: int


class Owner(NamedTuple):
    """`groups` is None where the kernel does not tell them."""

    users: frozenset[int]
    groups: frozenset[int] | None
    threads: int


def end_tree(identity: Identity, call: LiveCall, number: int) -> None:
    """Signal a leader's group, its session, all its descendants and whatever else bears its mark."""
    identity.signal_group(call.leader, number)
    processes = read_processes()
    members = {call.leader} | {process.pid for process in processes if process.session == call.leader}
    while found := {p.pid for p in processes if p.parent in members and p.pid not in members}:
        members |= found
    if identity.split:
        members |= {process.pid for process in processes if call.mark in marks_of(process.pid)}
    for pid in members - {call.leader}:
        identity.signal_process(pid, number)


def remove_strays(identity: Identity, live: Sequence[LiveCall], reap: Callable[[], None]) -> None:
    """Gives up after 2 s; what is left then cannot be killed by anyone."""
    give_up = time.monotonic() + PATIENCE
    pause = 0.001
    while time.monotonic() < give_up:
        if identity.split and not live:
            if not identity.signal_everything(SIGKILL):
                return
        elif not _kill_strays(identity, live):
            return
        reap()
        if identity.split and not live and not any(is_tool_process(p.pid) for p in read_processes()):
            return
        time.sleep(pause)
        pause = min(pause * 2, 0.05)


def _kill_strays(identity: Identity, live: Sequence[LiveCall]) -> bool:
    """A crowd is stopped first, live calls with it: what is stopped neither forks nor takes the time to look."""
    if not identity.split or len(read_numbers()) < CROWD:
        return _kill_found(identity, live)
    identity.signal_everything(SIGSTOP)
    try:
        return _kill_found(identity, live)
    finally:
        identity.signal_everything(SIGCONT)


def _kill_found(identity: Identity, live: Sequence[LiveCall]) -> bool:
    strays = _find_strays(identity, live)
    for pid in strays:
        identity.signal_process(pid, SIGKILL)
    return bool(strays)


def _find_strays(identity: Identity, live: Sequence[LiveCall]) -> set[int]:
    marks = frozenset(call.mark for call in live)
    strays = set()
    for process in read_processes():
        owner = owner_of(process.pid) if identity.split else None
        if owner and owner.groups is not None:
            is_stray = TOOL_UID in owner.users and marks.isdisjoint(owner.groups)
        else:
            is_stray = process.parent == os.getpid() and not _belongs(identity, process, live)
        if is_stray:
            strays.add(process.pid)
    return strays


def _belongs(identity: Identity, process: Process, live: Iterable[LiveCall]) -> bool:
    leaders = {call.leader for call in live}
    if process.pid in leaders or process.session in leaders:
        return True
    with identity.as_tool_user():
        try:
            with open(f"/proc/{process.pid}/environ", "rb") as file:
                entries = file.read(1 << 18).split(b"\0")
        except OSError:
            return False
    marks = {f"{CALL_VARIABLE}={call.tag}".encode() for call in live if call.tag}
    return any(entry in marks for entry in entries)


def read_processes() -> list[Process]:
    """All that run; one that ends meanwhile is left out, and no other."""
    return [process for number in read_numbers() if (process := _read_process(number))]


def read_numbers() -> list[int]:
    return [int(name) for name in persist(lambda: os.listdir("/proc")) if name.isdigit()]


def _read_process(pid: int) -> Process | None:
    fields = _read(f"/proc/{pid}/stat").rpartition(b")")[2].split()
    if len(fields) < 4 or fields[0] in (b"Z", b"X"):
        return None
    return Process(pid, int(fields[1]), int(fields[3]))


def owner_of(pid: int) -> Owner | None:
    """None when it has ended or does not say."""
    lines = _read(f"/proc/{pid}/status").split(b"\n")
    fields = {name: value.split() for name, _, value in (line.partition(b":") for line in lines)}
    if b"Uid" not in fields:
        return None
    groups = fields.get(b"Groups")
    return Owner(
        frozenset(int(user) for user in fields[b"Uid"]),
        None if groups is None else frozenset(int(group) for group in groups),
        int(fields.get(b"Threads", [b"1"])[0]),
    )


def marks_of(pid: int) -> frozenset[int]:
    """The groups of a process of the tool user; empty for any other."""
    owner = owner_of(pid)
    return owner.groups or frozenset() if owner and TOOL_UID in owner.users else frozenset()


def is_tool_process(pid: int) -> bool:
    owner = owner_of(pid)
    return owner is not None and TOOL_UID in owner.users


def _read(path: str) -> bytes:
    """Empty when the process has ended."""

    def read() -> bytes:
        with open(path, "rb", buffering=0) as file:
            return file.read(1 << 16) or b""

    try:
        return persist(read)
    except (FileNotFoundError, ProcessLookupError, PermissionError):
        return b""
