"""The pump: one thread that transfers bytes between programs and their clients and never blocks on any of them.

It is started with the runner, because under a full process limit no thread could be started later.
"""

import contextlib
import os
import queue
import select
import threading
from collections.abc import Callable, Mapping
from typing import Final

from .frames import FrameError
from .processes import Supervisor
from .retries import FailureTracker
from .stdio_buffers import ChannelClosed, StdioChannel

CLOSED: Final = "closed"
EXITED: Final = "exited"
"""The reason for a normal end, and for ending a program that has closed its stdout: it has nothing more to send."""


class Pump:
    """The thread that serves all open `StdioChannel`s."""

    def __init__(self, supervisor: Supervisor) -> None:
        self._supervisor = supervisor
        self._actions: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()
        self._wake = os.eventfd(0, os.EFD_CLOEXEC | os.EFD_NONBLOCK)
        self._poll = select.epoll()
        self._poll.register(self._wake, select.EPOLLIN)
        self._channels: dict[StdioChannel, Mapping[int, int]] = {}
        """For each channel, the descriptors that are polled and for which events."""
        self._by_fd: dict[int, StdioChannel] = {}
        self._failures = FailureTracker()
        threading.Thread(target=self._serve, name="pump", daemon=True).start()

    def add(self, channel: StdioChannel) -> None:
        """Pass a channel to the pump's thread, which then owns it."""
        self._submit(lambda: self._begin(channel))

    def on_program_end(self, channel: StdioChannel) -> None:
        """Note that a channel's program has ended. The supervisor calls this when none of its processes is left."""
        channel.is_over = True
        self._submit(lambda: self._handle_event(channel, None) if channel in self._channels else None)

    def _submit(self, action: Callable[[], None]) -> None:
        self._actions.put(action)
        os.eventfd_write(self._wake, 1)

    def _serve(self) -> None:
        while True:
            try:
                for fd, events in self._poll.poll():
                    if fd == self._wake:
                        os.eventfd_read(self._wake)
                    elif channel := self._by_fd.get(fd):
                        self._handle_event(channel, (fd, events))
                while not self._actions.empty():
                    self._actions.get()()
            except (OSError, MemoryError) as error:
                self._failures.record(error)
            self._failures.back_off()

    def _begin(self, channel: StdioChannel) -> None:
        self._channels[channel] = {}
        self._handle_event(channel, None)

    def _handle_event(self, channel: StdioChannel, ready: tuple[int, int] | None) -> None:
        """Transfer the bytes that can be transferred now. On an error the channel is closed; other channels are not
        affected."""
        try:
            channel.transfer(ready)
            if channel.stdout_closed_early:
                self._supervisor.stop(channel.job, EXITED)
            self._watch(channel, channel.wanted())
        except (ChannelClosed, FrameError, OSError, MemoryError):
            self._drop(channel)

    def _watch(self, channel: StdioChannel, wanted: Mapping[int, int]) -> None:
        watched = self._channels[channel]
        for fd in watched.keys() - wanted.keys():
            self._forget(fd)
        for fd, events in wanted.items():
            if fd not in watched:
                self._by_fd[fd] = channel
                self._poll.register(fd, events)
            elif watched[fd] != events:
                self._poll.modify(fd, events)
        self._channels[channel] = wanted

    def _drop(self, channel: StdioChannel) -> None:
        self._supervisor.stop(channel.job, CLOSED)
        for fd in self._channels.pop(channel):
            self._forget(fd)
        channel.close()

    def _forget(self, fd: int) -> None:
        """Stop polling a descriptor. If it is already closed, the kernel has removed it."""
        self._by_fd.pop(fd, None)
        with contextlib.suppress(OSError, ValueError):
            self._poll.unregister(fd)
