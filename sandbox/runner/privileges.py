"""Who does what.

In a container the runner is root without the powers of root, and everything for a tool happens as the tool user:
`Split`. In unit tests there is one user for both: `Single`.

No thread ever *is* the tool user: a thread with that real uid could be killed by its thread id, and the runner with
it. Files are touched with a changed file-system uid, signals sent with a changed effective uid; neither makes the
thread a target.
"""

import errno
import os
import signal
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Final, NamedTuple, Protocol

from . import kernel
from .retries import must, persist

TOOL_UID: Final = 1000
BYSTANDER_UID: Final = 65534
"""Runs programs whose answer the tool user must not be able to touch."""
BECOME: Final = "/opt/agentsite/become"
NOBODY_ELSE: Final = 65533
"""Real uid while a signal is sent: matches no process, so that only the tool user's are hit."""

ENTRY_PATIENCE: Final = 5.0
"""Seconds to become the tool user, after which a request is refused: its caller can ask again."""


IGNORED_BY_PYTHON: Final = (signal.SIGPIPE, signal.SIGXFSZ)


class Command(NamedTuple):
    """What to start. Each of its processes bears `mark` and opens at most `open_files`; it inherits `pass_fds`."""

    argv: Sequence[str]
    env: Mapping[str, str]
    mark: int
    open_files: int
    bystander: bool = False
    pass_fds: Sequence[int] = ()


class Identity(Protocol):
    split: bool

    @contextmanager
    def as_tool_user(self) -> Iterator[None]:
        """Files opened and processes started by this thread inside the block are the tool user's."""
        yield

    def start(self, command: Command, *, folder: int, output: int) -> int:
        """Start it in a session of its own, in the open directory `folder`, writing to `output` and reading nothing,
        without any power of the runner. The pid of the child, for which nobody waits yet."""
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

    def start(self, command: Command, *, folder: int, output: int) -> int:
        import subprocess

        process = subprocess.Popen(
            command.argv,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            cwd=f"/proc/self/fd/{folder}",
            env=command.env,
            start_new_session=True,
            pass_fds=command.pass_fds,
        )
        process.returncode = 0  # this object must never wait for the process: the caller does
        return process.pid

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

    def start(self, command: Command, *, folder: int, output: int) -> int:
        """Through the image's `become`, which says why. Whatever else is open here closes itself there."""
        uid = BYSTANDER_UID if command.bystander else TOOL_UID
        words = [BECOME, *(str(number) for number in (uid, command.mark, command.open_files, folder)), *command.argv]
        inherited = [(os.POSIX_SPAWN_DUP2, fd, fd) for fd in (folder, *command.pass_fds)]
        return os.posix_spawn(
            BECOME,
            words,
            command.env,
            file_actions=[
                (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
                (os.POSIX_SPAWN_DUP2, output, 1),
                (os.POSIX_SPAWN_DUP2, output, 2),
                *inherited,
            ],
            setsid=True,
            setsigdef=IGNORED_BY_PYTHON,
        )

    def signal_process(self, pid: int, number: int) -> None:
        with _gone_is_fine(), self._as_sender():
            os.kill(pid, number)

    def signal_group(self, pid: int, number: int) -> None:
        with _gone_is_fine(), self._as_sender():
            os.killpg(pid, number)

    def signal_everything(self, number: int) -> bool:
        """The kernel leaves out process 1 and the caller; one call, so even a fork bomb cannot outrun it. It answers
        "nobody" also when the last it came to is just ending, and is asked a second time then."""
        with self._as_sender():
            return _signal_everything(number) or _signal_everything(number)

    @contextmanager
    def _as_sender(self) -> Iterator[None]:
        """The saved uid stays 0: that is the way back, and what keeps the thread from being a target itself."""
        persist(lambda: kernel.set_thread_user_ids(NOBODY_ELSE, TOOL_UID, 0))
        try:
            yield
        finally:
            must(lambda: kernel.set_thread_user_ids(0, 0, 0))


def _signal_everything(number: int) -> bool:
    try:
        os.kill(-1, number)
    except ProcessLookupError:
        return False
    return True


@contextmanager
def _gone_is_fine() -> Iterator[None]:
    """A process that has ended or belongs to someone else by now is not a failure."""
    try:
        yield
    except OSError as error:
        if error.errno not in (errno.ESRCH, errno.EPERM):
            raise
