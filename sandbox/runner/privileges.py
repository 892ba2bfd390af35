"""Privilege separation: what the runner does as root, and what it does as the tool user.

In a container the runner is root without most of root's capabilities, and does everything for a tool as the tool user:
`SeparateUsers`. In unit tests one user is both: `SingleUser`.

No thread ever has the tool user's real uid: a command could kill such a thread by its thread id, and the runner with
it. To access files a thread changes its file-system uid, to send signals its effective uid; neither allows commands to
signal the thread.
"""

import errno
import os
import signal
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Final, NamedTuple, Protocol

from . import kernel
from .retries import retry, retry_or_exit

TOOL_UID: Final = 1000
BYSTANDER_UID: Final = 65534
"""Runs programs whose output the tool user must not be able to influence."""
BECOME: Final = "/opt/agentsite/become"  # a program of the image that changes the user and runs a command
SENDER_UID: Final = 65533
"""The real uid while a signal is sent. No process has it, so that only processes of the tool user are signalled."""

ENTRY_TIMEOUT: Final = 5.0  # seconds to become the tool user; after that the request fails and may be retried


IGNORED_BY_PYTHON: Final = (signal.SIGPIPE, signal.SIGXFSZ)


class Command(NamedTuple):
    """A command to start.

    Each of its processes has the supplementary group `mark`, and may open `open_files` files and allocate `data_mib` of
    memory (0 means no limit). It inherits `pass_fds`. A `bystander` runs as `BYSTANDER_UID` instead of the tool user.
    """

    argv: Sequence[str]
    env: Mapping[str, str]
    mark: int
    open_files: int
    bystander: bool = False
    pass_fds: Sequence[int] = ()
    data_mib: int = 0


class Identity(Protocol):
    """The interface for acting as the tool user. `separates_users` is false if runner and tools are the same user."""

    separates_users: bool

    @contextmanager
    def as_tool_user(self) -> Iterator[None]:
        """Access files and start processes as the tool user, in this thread, inside the block."""
        yield

    def start(self, command: Command, *, folder: int, output: int) -> int:
        """Start a command without any of the runner's privileges. Returns its pid; the caller has to wait for it.

        It gets a session of its own and the open directory `folder` as working directory, writes to `output`, and has
        an empty stdin.
        """
        ...

    @contextmanager
    def as_sender(self) -> Iterator[None]:
        """Act as the tool user in this thread inside the block, to send signals or remove shared objects."""
        yield

    def signal_process(self, pid: int, number: int) -> None:
        """Send a signal to a process. Does nothing if it has ended."""
        ...

    def signal_group(self, pid: int, number: int) -> None:
        """Send a signal to a process group. Does nothing if it has ended."""
        ...

    def signal_everything(self, number: int) -> bool:
        """Send a signal to all processes of the tool user at once. Returns False if there are none."""
        ...


class SingleUser:
    """An `Identity` for unit tests, in which runner and tools are the same user.

    The processes of the runner look like processes of tools.
    """

    separates_users = False

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

    @contextmanager
    def as_sender(self) -> Iterator[None]:
        yield

    def signal_process(self, pid: int, number: int) -> None:
        with _ignore_gone_process():
            os.kill(pid, number)

    def signal_group(self, pid: int, number: int) -> None:
        with _ignore_gone_process():
            os.killpg(pid, number)

    def signal_everything(self, number: int) -> bool:
        raise AssertionError("Outside a container this would kill unrelated processes.")


class SeparateUsers:
    """The `Identity` in a container: the runner is root, and tools run as an unprivileged user."""

    separates_users = True

    def __init__(self) -> None:
        self._thread = threading.local()

    @contextmanager
    def as_tool_user(self) -> Iterator[None]:
        """Run the block as the tool user, see `Identity`. Inside another such block, entering and leaving have no
        effect."""
        if getattr(self._thread, "is_tool_user", False):
            yield
            return
        try:
            retry(lambda: kernel.set_thread_file_ids(TOOL_UID, TOOL_UID), timeout=ENTRY_TIMEOUT)
            self._thread.is_tool_user = True
            yield
        finally:
            self._thread.is_tool_user = False
            retry_or_exit(lambda: kernel.set_thread_file_ids(0, 0))

    def start(self, command: Command, *, folder: int, output: int) -> int:
        """Start a command as the tool user, as `Identity` describes. The image's program `become` runs it; its source
        explains why this program is needed.

        Every other open descriptor of the runner is closed on exec.
        """
        uid = BYSTANDER_UID if command.bystander else TOOL_UID
        numbers = (uid, command.mark, command.open_files, command.data_mib, folder)
        words = [BECOME, *map(str, numbers), *command.argv]
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
        with _ignore_gone_process(), self.as_sender():
            os.kill(pid, number)

    def signal_group(self, pid: int, number: int) -> None:
        with _ignore_gone_process(), self.as_sender():
            os.killpg(pid, number)

    def signal_everything(self, number: int) -> bool:
        """Send a signal to all processes of the tool user, in one kill(-1) call that not even a fork bomb can outrun.

        The kernel leaves out process 1 and the caller. It also reports "no process" if the last one it found was just
        ending, so the call is then repeated once.
        """
        with self.as_sender():
            return _signal_everything(number) or _signal_everything(number)

    @contextmanager
    def as_sender(self) -> Iterator[None]:
        """Act as the tool user in this thread inside the block, to send signals or remove shared objects.

        The saved uid stays 0, which allows the thread to change back, and protects it from signals of commands.
        """
        retry(lambda: kernel.set_thread_user_ids(SENDER_UID, TOOL_UID, 0))
        try:
            yield
        finally:
            retry_or_exit(lambda: kernel.set_thread_user_ids(0, 0, 0))


def _signal_everything(number: int) -> bool:
    try:
        os.kill(-1, number)
    except ProcessLookupError:
        return False
    return True


@contextmanager
def _ignore_gone_process() -> Iterator[None]:
    """Ignore the error if a process has ended, or its pid belongs to someone else now."""
    try:
        yield
    except OSError as error:
        if error.errno not in (errno.ESRCH, errno.EPERM):
            raise
