"""The loop of the terminals: one thread that carries bytes between all terminals and their watchers.

It never blocks on one of them. A terminal's output is read at a limited rate, so a program that floods it waits, as on
a slow line; a watcher who does not read misses output that is no longer kept, and never delays a program. The thread is
started with the runner, because under a full process limit none could be started later.
"""

import contextlib
import os
import queue
import select
import threading
import time
from collections.abc import Callable, Mapping
from typing import Final, Protocol

from .frames import FrameError
from .retries import FailureTracker
from .stdio_buffers import ChannelClosed

MOST_SLEEP: Final = 3600.0  # seconds


class Member(Protocol):
    """An object whose descriptors the loop polls: a terminal, a client that watches a terminal, or a connection to a
    port. The loop's thread calls its methods."""

    def wanted(self) -> Mapping[int, int]:
        """Return the descriptors that the loop polls for this member, each with the events to poll for."""
        ...

    def transfer(self, fd: int, events: int) -> None:
        """Transfer the bytes that can be transferred without blocking. Raises ChannelClosed, FrameError or OSError when
        the member must leave the loop."""
        ...

    def due(self) -> float:
        """Return the time, in monotonic seconds, at which to call `transfer` even if no descriptor is ready; 0 for
        never."""
        ...

    def close(self) -> None: ...


class TerminalLoop:
    """An event loop on its own thread, which transfers bytes for its members, such as terminals."""

    def __init__(self) -> None:
        self._actions: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()
        self._wake = os.eventfd(0, os.EFD_CLOEXEC | os.EFD_NONBLOCK)
        self._poll = select.epoll()
        self._poll.register(self._wake, select.EPOLLIN)
        self._members: dict[Member, Mapping[int, int]] = {}
        self._by_fd: dict[int, Member] = {}
        self._failures = FailureTracker()
        threading.Thread(target=self._serve, name="terminals", daemon=True).start()

    def submit(self, action: Callable[[], None]) -> None:
        """Run an action on the loop's thread."""
        self._actions.put(action)
        os.eventfd_write(self._wake, 1)

    def add(self, member: Member) -> None:
        """Add a terminal, watcher or port connection to the loop. This method and the following ones may only be called
        on the loop's thread."""
        self._members[member] = {}
        self.serve(member)

    def serve(self, member: Member, fd: int = -1, events: int = 0) -> None:
        """Transfer the bytes that are ready for one member: a terminal, watcher or port connection. A member with an
        error is closed; the other members are not affected."""
        if member not in self._members:
            return
        try:
            member.transfer(fd, events)
            self._watch(member, member.wanted())
        except (ChannelClosed, FrameError, OSError, MemoryError):
            self.drop(member)

    def drop(self, member: Member) -> None:
        for fd in self._members.pop(member, {}):
            self._forget(fd)
        member.close()

    def _serve(self) -> None:
        while True:
            try:
                for fd, events in self._poll.poll(self._timeout()):
                    if fd == self._wake:
                        os.eventfd_read(self._wake)
                    elif member := self._by_fd.get(fd):
                        self.serve(member, fd, events)
                while not self._actions.empty():
                    self._actions.get()()
                now = time.monotonic()
                for member in [member for member in self._members if 0 < member.due() <= now]:
                    self.serve(member)
            except (OSError, MemoryError) as error:
                self._failures.record(error)
            self._failures.back_off()

    def _timeout(self) -> float | None:
        due = min((at for member in self._members if (at := member.due()) > 0), default=0.0)
        return min(max(due - time.monotonic(), 0.0), MOST_SLEEP) if due else None

    def _watch(self, member: Member, wanted: Mapping[int, int]) -> None:
        watched = self._members[member]
        for fd in watched.keys() - wanted.keys():
            self._forget(fd)
        for fd, events in wanted.items():
            if fd not in watched:
                self._by_fd[fd] = member
                self._poll.register(fd, events)
            elif watched[fd] != events:
                self._poll.modify(fd, events)
        self._members[member] = wanted

    def _forget(self, fd: int) -> None:
        """Stop polling a descriptor. If it is closed already, the kernel has removed it."""
        self._by_fd.pop(fd, None)
        with contextlib.suppress(OSError, ValueError):
            self._poll.unregister(fd)
