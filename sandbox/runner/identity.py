"""Who does what.

In a container the runner is root without the powers of root, and everything for a tool happens as the tool user:
`Split`. In unit tests there is one user for both: `Single`.

No thread ever *is* the tool user: a thread with that real uid could be killed by its thread id, and the runner with
it. Files are touched with a changed file-system uid, signals sent with a changed effective uid; neither makes the
thread a target.
"""

import errno
import os
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Final, Protocol

from . import kernel
from .persistence import must, persist

TOOL_UID: Final = 1000
BYSTANDER_UID: Final = 65534
"""Runs programs whose answer the tool user must not be able to touch."""
BECOME: Final = "/opt/agentsite/become"
NOBODY_ELSE: Final = 65533
"""Real uid while a signal is sent: matches no process, so that only the tool user's are hit."""

ENTRY_PATIENCE: Final = 5.0
"""Seconds to become the tool user, after which a request is refused: its caller can ask again."""


class Identity(Protocol):
    split: bool

    @contextmanager
    def as_tool_user(self) -> Iterator[None]:
        """Files opened and processes started by this thread inside the block are the tool user's."""
        yield

    def command_line(self, argv: Sequence[str], *, bystander: bool, mark: int, open_files: int) -> Sequence[str]:
        """What to start so that `argv` runs without any power of the runner, bears this mark, and opens at most so
        many files in each process."""
        ...

    def signal_process(self, pid: int, number: int) -> None: ...

    def signal_group(self, pid: int, number: int) -> None: ...

    def signal_everything(self, number: int) -> bool:
        """Signal every process of the tool user at once; False when there was none."""
        ...


class Single:
    """One user for runner and tools, for unit tests: it has no way to tell its own processes from others."""

    split = False

    @contextmanager
    def as_tool_user(self) -> Iterator[None]:
        yield

    def command_line(self, argv: Sequence[str], *, bystander: bool, mark: int, open_files: int) -> Sequence[str]:
        return argv

    def signal_process(self, pid: int, number: int) -> None:
        with _gone_is_fine():
            os.kill(pid, number)

    def signal_group(self, pid: int, number: int) -> None:
        with _gone_is_fine():
            os.killpg(pid, number)

    def signal_everything(self, number: int) -> bool:
        raise AssertionError("Outside a container this would kill strangers.")


class Split:
    """Root of a container against its tool user."""

    split = True

    def __init__(self) -> None:
        self._thread = threading.local()

    @contextmanager
    def as_tool_user(self) -> Iterator[None]:
        """A block within a block changes nothing, and above all does not end the outer one."""
        if getattr(self._thread, "is_tool_user", False):
            yield
            return
        try:
            persist(lambda: kernel.set_thread_file_ids(TOOL_UID, TOOL_UID), patience=ENTRY_PATIENCE)
            self._thread.is_tool_user = True
            yield
        finally:
            self._thread.is_tool_user = False
            must(lambda: kernel.set_thread_file_ids(0, 0))

    def command_line(self, argv: Sequence[str], *, bystander: bool, mark: int, open_files: int) -> Sequence[str]:
        """Through the image's `become`, which says why."""
        return [BECOME, str(BYSTANDER_UID if bystander else TOOL_UID), str(mark), str(open_files), *argv]

    def signal_process(self, pid: int, number: int) -> None:
        with _gone_is_fine(), self._as_sender():
            os.kill(pid, number)

    def signal_group(self, pid: int, number: int) -> None:
        with _gone_is_fine(), self._as_sender():
            os.killpg(pid, number)

    def signal_everything(self, number: int) -> bool:
        """The kernel leaves out process 1 and the caller; one call, so even a fork bomb cannot outrun it."""
        with self._as_sender():
            try:
                os.kill(-1, number)
            except ProcessLookupError:
                return False
        return True

    @contextmanager
    def _as_sender(self) -> Iterator[None]:
        """The saved uid stays 0: that is the way back, and what keeps the thread from being a target itself."""
        persist(lambda: kernel.set_thread_user_ids(NOBODY_ELSE, TOOL_UID, 0))
        try:
            yield
        finally:
            must(lambda: kernel.set_thread_user_ids(0, 0, 0))


@contextmanager
def _gone_is_fine() -> Iterator[None]:
    """A process that has ended or belongs to someone else by now is not a failure."""
    try:
        yield
    except OSError as error:
        if error.errno not in (errno.ESRCH, errno.EPERM):
            raise
