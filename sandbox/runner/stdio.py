"""Programs that clients talk to over stdin and stdout, such as language servers and MCP servers.

At most one program of each name runs. It lives as long as the connection that requested it, which `pump` then serves. A
new request with the same name ends the old program and starts a new one, so a restarted service never has to wait for a
program of its predecessor.
"""

import os
import socket
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from typing import Any, Final, NamedTuple, NoReturn

from . import frames
from .command_environment import BASE_ENVIRONMENT, SHELL
from .errors import LIMIT_REACHED, NOT_FOUND, REFUSED, UNAVAILABLE, Refusal, from_os_error
from .limits import Allowance
from .privileges import Identity
from .process_cleanup import CALL_VARIABLE
from .processes import Job, Supervisor
from .pump import Pump
from .stdio_buffers import StdioChannel
from .tree import Tree

OPEN_LIMIT: Final = 8  # programs per workspace
NAME_LIMIT: Final = 100  # characters
LIFETIME: Final = 30 * 24 * 3600.0  # seconds; clients end their programs long before
END_TIMEOUT: Final = 8.0  # seconds
STDERR_KEPT_BYTES: Final = 4_096  # the end of a program's stderr
TAG: Final = "stdio-{}"


class ConnectionHandedOver(Exception):
    """Another thread answers on this connection now, so the server sends no response."""


class StdioRequest(NamedTuple):
    """The fields of a client's `open` request, which starts a program."""

    name: str
    argv: Sequence[str]
    workdir: str
    exact: bool
    env: Mapping[str, str]
    as_command: bool

    @classmethod
    def parse(cls, header: Mapping[str, Any]) -> "StdioRequest":
        try:
            request = cls(
                name=str(header["name"])[:NAME_LIMIT],
                argv=[str(word) for word in header["argv"]],
                workdir=str(header["workdir"]),
                exact=header.get("exact") is True,
                env={str(name): str(value) for name, value in header["env"].items()},
                as_command=header.get("as_command") is True,
            )
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise Refusal(REFUSED, "The request for a program has a missing or invalid field.") from error
        words = [*request.argv, *(f"{name}{value}" for name, value in request.env.items())]
        if not request.argv or any("\0" in word for word in words) or any("=" in n or not n for n in request.env):
            raise Refusal(
                REFUSED, "The program's arguments are empty or contain a zero byte, or its environment is invalid."
            )
        return request


class StderrTail:
    """The last bytes of a program's stderr, which usually explain why it ended."""

    def __init__(self) -> None:
        self.kept = b""

    def feed(self, chunk: bytes) -> str:
        self.kept = (self.kept + chunk)[-STDERR_KEPT_BYTES:]
        return ""


class Stdio:
    """The programs that clients talk to over stdio. Their connections are handed to the `Pump`, a thread that serves
    all of them."""

    def __init__(
        self,
        tree: Tree,
        identity: Identity,
        supervisor: Supervisor,
        allowance: Allowance,
        of_commands: Callable[[], Mapping[str, str]],
    ) -> None:
        self._of_commands = of_commands
        self._tree = tree
        self._identity = identity
        self._supervisor = supervisor
        self._open_files = allowance.open_files
        self._pump = Pump(supervisor)
        self._opening = threading.Lock()
        self._jobs: dict[str, Job] = {}

    def begin(self, header: Mapping[str, Any], connection: socket.socket) -> NoReturn:
        """Start the program and confirm it to the client.

        Always raises: ConnectionHandedOver if the program runs, else Refusal.
        """
        request = StdioRequest.parse(header)
        with self._opening:
            self._end_previous(request.name)
            if sum(not job.reason for job in self._jobs.values()) >= OPEN_LIMIT:  # jobs with a reason are about to end
                raise Refusal(
                    LIMIT_REACHED, f"{OPEN_LIMIT} servers are already running in this workspace, which is the limit."
                )
            channel = self._start(request, connection)
        try:
            frames.send(connection, {"ok": True})
        finally:  # if the client has disconnected, the pump detects it
            self._pump.add(channel)
        raise ConnectionHandedOver

    def _end_previous(self, name: str) -> None:
        """Stop the running program of this name, if any. Raises Refusal if it does not end."""
        if job := self._jobs.get(name):
            self._supervisor.stop(job, "replaced")
            if not job.wait(END_TIMEOUT):
                raise Refusal(UNAVAILABLE, f"The previous server {name} did not end. Try again later.")

    def _start(self, request: StdioRequest, connection: socket.socket) -> StdioChannel:
        """Start the program. On return, only the program holds its ends of the pipes."""
        with ExitStack() as ours, ExitStack() as theirs:
            child_in, to_program = _pipe(reader=theirs, writer=ours)
            from_program, child_out = _pipe(reader=ours, writer=theirs)
            os.set_blocking(to_program, False)
            os.set_blocking(from_program, False)
            job, words = self._job(request, (child_in, child_out))
            channel = StdioChannel(job, words, to_program, from_program, connection.dup())
            job.on_end = lambda _: self._forget(request.name, channel)
            self._jobs[request.name] = job
            self._supervisor.start(job)
            ours.pop_all()
        if job.failure:
            channel.close()
            raise job.failure
        return channel

    def _job(self, request: StdioRequest, inside: tuple[int, int]) -> tuple[Job, StderrTail]:
        tag, words = TAG.format(request.name), StderrTail()
        base = self._of_commands() if request.as_command else BASE_ENVIRONMENT
        job = Job(
            [SHELL, "-c", _redirected(*inside), request.name, *request.argv],
            words,
            cwd_fd=self._open_folder(request),
            env={**base, "HOME": self._tree.home, **request.env, CALL_VARIABLE: tag},
            timeout=LIFETIME,
            pass_fds=inside,
            tag=tag,
            open_files=self._open_files,
        )
        return job, words

    def _forget(self, name: str, channel: StdioChannel) -> None:
        """Forget a stdio program that has ended, and tell the pump. Runs on the supervisor's thread."""
        if self._jobs.get(name) is channel.job:
            del self._jobs[name]
        self._pump.on_program_end(channel)

    def _open_folder(self, request: StdioRequest) -> int:
        path = request.workdir
        with self._identity.as_tool_user():
            try:
                with self._tree.opened(path, os.O_PATH | os.O_DIRECTORY, exact=request.exact) as (fd, _):
                    return os.dup(fd)
            except FileNotFoundError as error:
                raise Refusal(NOT_FOUND, f"The working directory does not exist: {path}") from error
            except OSError as error:
                raise from_os_error(error, path) from error


def _redirected(child_in: int, child_out: int) -> str:
    """Return the shell command that starts the program with its stdin and stdout redirected to these descriptors.

    Only the program's stderr remains as the output of the job.
    """
    return f'exec "$@" <&{child_in} >&{child_out} {child_in}<&- {child_out}>&-'


def _pipe(*, reader: ExitStack, writer: ExitStack) -> tuple[int, int]:
    """Create a pipe. Each end is closed when its stack is."""
    ends = os.pipe2(os.O_CLOEXEC)
    reader.callback(os.close, ends[0])
    writer.callback(os.close, ends[1])
    return ends
