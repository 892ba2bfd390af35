"""One thread carries bytes between programs and those who talk to them, and never waits for any of them.

It is there from the start, since under a full process limit no thread can be made.
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
from .retries import Trouble
from .stdio_buffers import Dialogue, Gone

CLOSED: Final = "closed"
EXITED: Final = "exited"
"""Also of one that has closed its stdout: it is about to end, or has nothing more to say to anybody."""


class Pump:
    def __init__(self, supervisor: Supervisor) -> None:
        self._supervisor = supervisor
        self._asked: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()
        self._wake = os.eventfd(0, os.EFD_CLOEXEC | os.EFD_NONBLOCK)
        self._poll = select.epoll()
        self._poll.register(self._wake, select.EPOLLIN)
        self._dialogues: dict[Dialogue, Mapping[int, int]] = {}
        """With the descriptors that are watched for each, and for which events."""
        self._by_fd: dict[int, Dialogue] = {}
        self._trouble = Trouble()
        threading.Thread(target=self._serve, name="pump", daemon=True).start()

    def take(self, dialogue: Dialogue) -> None:
        """From now on it belongs to this thread."""
        self._ask(lambda: self._begin(dialogue))

    def note_end(self, dialogue: Dialogue) -> None:
        """From the supervisor: nothing of its program runs any more."""
        dialogue.is_over = True
        self._ask(lambda: self._attend(dialogue, None) if dialogue in self._dialogues else None)

    def _ask(self, action: Callable[[], None]) -> None:
        self._asked.put(action)
        os.eventfd_write(self._wake, 1)

    def _serve(self) -> None:
        while True:
            try:
                for fd, events in self._poll.poll():
                    if fd == self._wake:
                        os.eventfd_read(self._wake)
                    elif dialogue := self._by_fd.get(fd):
                        self._attend(dialogue, (fd, events))
                while not self._asked.empty():
                    self._asked.get()()
            except (OSError, MemoryError) as error:
                self._trouble.meet(error)
            self._trouble.pause()

    def _begin(self, dialogue: Dialogue) -> None:
        self._dialogues[dialogue] = {}
        self._attend(dialogue, None)

    def _attend(self, dialogue: Dialogue, ready: tuple[int, int] | None) -> None:
        """What cannot go on is closed, and no other one hears of it."""
        try:
            dialogue.go_on(ready)
            if dialogue.has_nothing_to_hear:
                self._supervisor.stop(dialogue.job, EXITED)
            self._watch(dialogue, dialogue.wanted())
        except (Gone, FrameError, OSError, MemoryError):
            self._drop(dialogue)

    def _watch(self, dialogue: Dialogue, wanted: Mapping[int, int]) -> None:
        watched = self._dialogues[dialogue]
        for fd in watched.keys() - wanted.keys():
            self._forget(fd)
        for fd, events in wanted.items():
            if fd not in watched:
                self._by_fd[fd] = dialogue
                self._poll.register(fd, events)
            elif watched[fd] != events:
                self._poll.modify(fd, events)
        self._dialogues[dialogue] = wanted

    def _drop(self, dialogue: Dialogue) -> None:
        self._supervisor.stop(dialogue.job, CLOSED)
        for fd in self._dialogues.pop(dialogue):
            self._forget(fd)
        dialogue.close()

    def _forget(self, fd: int) -> None:
        """One that was closed has left by itself."""
        self._by_fd.pop(fd, None)
        with contextlib.suppress(OSError, ValueError):
            self._poll.unregister(fd)
