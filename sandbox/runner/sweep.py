"""Ending what commands started: a whole tree, and what escaped from one.

A background process leaves its group and session, clears its environment and loses its parent; but as an orphan it
becomes a child of the runner. So when a call ends, every such child that belongs to no live call is killed, and when
no call is live simply everything the tool user has.
"""

import os
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from .identity import TOOL_UID, Identity

PATIENCE: Final = 2.0
CALL_VARIABLE: Final = "SANDBOX_CALL"


@dataclass(frozen=True, slots=True)
class Process:
    pid: int
    parent: int
    session: int


def end_tree(identity: Identity, leader: int, number: int) -> None:
    """Signal a leader's group, its session and all its descendants."""
    processes = list(read_processes())
    members = {leader} | {process.pid for process in processes if process.session == leader}
    while found := {p.pid for p in processes if p.parent in members and p.pid not in members}:
        members |= found
    identity.signal_group(leader, number)
    for pid in members - {leader}:
        identity.signal_process(pid, number)


def remove_strays(identity: Identity, live: Mapping[int, str], reap: Callable[[], None]) -> None:
    """`live`: leader and tag of each live call. Gives up after 2 s; what is left then cannot be killed by anyone."""
    give_up = time.monotonic() + PATIENCE
    pause = 0.001
    while time.monotonic() < give_up:
        if identity.split and not live:
            if not identity.kill_everything():
                return
        elif not _kill_strays(identity, live):
            return
        reap()
        if identity.split and not live and not any(_is_tool_process(p) for p in read_processes()):
            return
        time.sleep(pause)
        pause = min(pause * 2, 0.05)


def _kill_strays(identity: Identity, live: Mapping[int, str]) -> bool:
    own = os.getpid()
    strays = [p for p in read_processes() if p.parent == own and not _belongs(identity, p, live)]
    for process in strays:
        identity.signal_process(process.pid, 9)
    return bool(strays)


def _belongs(identity: Identity, process: Process, live: Mapping[int, str]) -> bool:
    """By session, or by the call's mark in its environment: a lie there only lasts as long as that other call."""
    if process.pid in live or process.session in live:
        return True
    with identity.as_tool_user():
        try:
            with open(f"/proc/{process.pid}/environ", "rb") as file:
                entries = file.read(1 << 18).split(b"\0")
        except OSError:
            return False
    marks = {f"{CALL_VARIABLE}={tag}".encode() for tag in live.values() if tag}
    return any(entry in marks for entry in entries)


def read_processes() -> Iterator[Process]:
    for name in os.listdir("/proc"):
        if not name.isdigit():
            continue
        try:
            with open(f"/proc/{name}/stat", "rb") as file:
                fields = file.read().rpartition(b")")[2].split()
        except OSError:
            continue
        if fields[0] not in (b"Z", b"X"):
            yield Process(int(name), int(fields[1]), int(fields[3]))


def _is_tool_process(process: Process) -> bool:
    try:
        with open(f"/proc/{process.pid}/status", "rb") as file:
            owners = next(line.split()[1:] for line in file if line.startswith(b"Uid:"))
    except (OSError, StopIteration):
        return False
    return str(TOOL_UID).encode() in owners
