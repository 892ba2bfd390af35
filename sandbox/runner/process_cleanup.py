"""Kill processes that commands started: a whole process tree, and processes that escaped from one.

A background process may leave its group and session, clear its environment and lose its parent. It cannot remove its
call's mark: a supplementary group that `become` gave the command and that only root can take away. So when a call ends,
every process of the tool user without the mark of a live call is killed; if no call is live, all processes of the tool
user are.

Without marks (in unit tests, where all is one user, or on a kernel that does not show the groups of a process) a
process that became the runner's child is recognised by its session and its environment.
"""

import os
import time
from collections.abc import Callable, Iterable, Sequence
from signal import SIGCONT, SIGKILL, SIGSTOP
from typing import Final, NamedTuple

from .privileges import TOOL_UID, Identity
from .retries import retry

CLEANUP_TIMEOUT: Final = 2.0  # seconds in which the processes that are left do not change
CLEANUP_LIMIT: Final = 20.0  # seconds
FORK_BOMB_THRESHOLD: Final = 48
"""From this many processes on, possibly a fork bomb, all are stopped while strays are searched for beside live
calls."""
CALL_VARIABLE: Final = "SANDBOX_CALL"  # environment variable that holds a call's tag


class LiveCall(NamedTuple):
    """A running call.

    `leader` is the pid of its first process, `tag` is in its environment, `mark` is one of its groups.
    """

    leader: int
    tag: str
    mark: int


class ProcessInfo(NamedTuple):
    pid: int
    parent: int
    session: int


class ProcessOwner(NamedTuple):
    """Users, groups and number of threads of a process. `groups` is None if the kernel does not show them."""

    users: frozenset[int]
    groups: frozenset[int] | None
    threads: int


def signal_tree(identity: Identity, call: LiveCall, number: int) -> None:
    """Send a signal to all processes of a call.

    These are the leader's group and session, all descendants, and all processes with the call's mark, which is a group
    id.
    """
    identity.signal_group(call.leader, number)
    processes = read_processes()
    members = {call.leader} | {process.pid for process in processes if process.session == call.leader}
    while found := {p.pid for p in processes if p.parent in members and p.pid not in members}:
        members |= found
    if identity.separates_users:
        members |= {process.pid for process in processes if call.mark in marks_of(process.pid)}
    for pid in members - {call.leader}:
        identity.signal_process(pid, number)


def remove_strays(identity: Identity, live: Sequence[LiveCall], reap: Callable[[], None]) -> None:
    """Kill all processes of the tool user that belong to no live call.

    `reap` waits for ended children. Gives up if the same processes are left for 2 s, because they cannot be killed at
    all; or after 20 s, however many new ones appear.
    """
    limit = time.monotonic() + CLEANUP_LIMIT
    deadline = time.monotonic() + CLEANUP_TIMEOUT
    pause = 0.001
    before: set[int] = set()
    while time.monotonic() < min(deadline, limit):
        strays = _kill_everything(identity) if identity.separates_users and not live else _kill_strays(identity, live)
        if not strays:
            return
        reap()
        if strays != before:
            before, deadline = strays, time.monotonic() + CLEANUP_TIMEOUT
        time.sleep(pause)
        pause = min(pause * 2, 0.05)


def _kill_everything(identity: Identity) -> set[int]:
    """Kill all processes of the tool user. Returns the pids of the processes that are left."""
    if not identity.signal_everything(SIGKILL):
        return set()
    return {process.pid for process in read_processes() if is_tool_process(process.pid)}


def _kill_strays(identity: Identity, live: Sequence[LiveCall]) -> set[int]:
    """Kill the processes that belong to no live call, once, and return their pids.

    If there are many processes, all are stopped first, live calls included, so that they neither fork nor use CPU time
    during the search.
    """
    if not identity.separates_users or len(read_pids()) < FORK_BOMB_THRESHOLD:
        return _kill_found(identity, live)
    identity.signal_everything(SIGSTOP)
    try:
        return _kill_found(identity, live)
    finally:
        identity.signal_everything(SIGCONT)


def _kill_found(identity: Identity, live: Sequence[LiveCall]) -> set[int]:
    strays = _find_strays(identity, live)
    for pid in strays:
        identity.signal_process(pid, SIGKILL)
    return strays


def _find_strays(identity: Identity, live: Sequence[LiveCall]) -> set[int]:
    """Return the pids of processes that belong to no live call."""
    marks = frozenset(call.mark for call in live)
    strays = set()
    for process in read_processes():
        owner = owner_of(process.pid) if identity.separates_users else None
        if owner and owner.groups is not None:
            is_stray = TOOL_UID in owner.users and marks.isdisjoint(owner.groups)
        else:
            is_stray = process.parent == os.getpid() and not _belongs(identity, process, live)
        if is_stray:
            strays.add(process.pid)
    return strays


def _belongs(identity: Identity, process: ProcessInfo, live: Iterable[LiveCall]) -> bool:
    """Return whether an adopted process belongs to a live call, by its session or its environment."""
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


def read_processes() -> list[ProcessInfo]:
    """Return all running processes, except those that end during the call."""
    return [process for number in read_pids() if (process := _read_process(number))]


def read_pids() -> list[int]:
    return [int(name) for name in retry(lambda: os.listdir("/proc")) if name.isdigit()]


def _read_process(pid: int) -> ProcessInfo | None:
    """Return one process. None if it has ended or is a zombie."""
    fields = _read(f"/proc/{pid}/stat").rpartition(b")")[2].split()
    if len(fields) < 4 or fields[0] in (b"Z", b"X"):
        return None
    return ProcessInfo(pid, int(fields[1]), int(fields[3]))


def owner_of(pid: int) -> ProcessOwner | None:
    """Return the users, groups and number of threads of a process. The groups are None if /proc does not show them.
    Returns None if the process has ended."""
    lines = _read(f"/proc/{pid}/status").split(b"\n")
    fields = {name: value.split() for name, _, value in (line.partition(b":") for line in lines)}
    if b"Uid" not in fields:
        return None
    groups = fields.get(b"Groups")
    return ProcessOwner(
        frozenset(int(user) for user in fields[b"Uid"]),
        None if groups is None else frozenset(int(group) for group in groups),
        int(fields.get(b"Threads", [b"1"])[0]),
    )


def marks_of(pid: int) -> frozenset[int]:
    """Return the group ids of a process of the tool user, one of which identifies the process's tool call. Empty for
    any other process."""
    owner = owner_of(pid)
    return owner.groups or frozenset() if owner and TOOL_UID in owner.users else frozenset()


def is_tool_process(pid: int) -> bool:
    owner = owner_of(pid)
    return owner is not None and TOOL_UID in owner.users


def _read(path: str) -> bytes:
    """Return the content of a file in /proc. Empty if the process has ended."""

    def read() -> bytes:
        with open(path, "rb", buffering=0) as file:
            return file.read(1 << 16) or b""

    try:
        return retry(read)
    except (FileNotFoundError, ProcessLookupError, PermissionError):
        return b""
