"""Programs that are talked to over their stdin and stdout: language servers, tool servers.

There is at most one of each name. It lives as long as the connection that asked for it, which `pump` then serves.
Whoever asks for a name anew gets a new program, and the old one ends: a service that was started again never waits
for what its predecessor left.
"""

import os
import socket
import threading
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from typing import Any, Final, NamedTuple, NoReturn

from . import frames
from .calls import BASE_ENVIRONMENT, SHELL
from .errors import LIMIT_REACHED, NOT_FOUND, REFUSED, UNAVAILABLE, Refusal, from_os_error
from .limits import Allowance
from .privileges import Identity
from .process_cleanup import CALL_VARIABLE
from .processes import Job, Supervisor
from .pump import Pump
from .stdio_buffers import Dialogue
from .tree import Tree

OPEN_LIMIT: Final = 8
NAME_LIMIT: Final = 100
LIFETIME: Final = 30 * 24 * 3600.0
"""Seconds; whoever talks to it ends it long before."""
END_PATIENCE: Final = 8.0
WORDS_KEPT: Final = 4_096
TAG: Final = "stdio-{}"


class HandedOver(Exception):
    """The connection is somebody else's now, who answers on it."""


class Request(NamedTuple):
    name: str
    argv: Sequence[str]
    workdir: str
    exact: bool
    env: Mapping[str, str]

    @classmethod
    def parse(cls, header: Mapping[str, Any]) -> "Request":
        try:
            request = cls(
                name=str(header["name"])[:NAME_LIMIT],
                argv=[str(word) for word in header["argv"]],
                workdir=str(header["workdir"]),
                exact=header.get("exact") is True,
                env={str(name): str(value) for name, value in header["env"].items()},
            )
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise Refusal(REFUSED, "This is not a complete request for a program.") from error
        words = [*request.argv, *(f"{name}{value}" for name, value in request.env.items())]
        if not request.argv or any("\0" in word for word in words) or any("=" in n or not n for n in request.env):
            raise Refusal(REFUSED, "A program or its environment contains what no process can be given.")
        return request


class LastWords:
    """The end of what a program writes to its stderr, which says why it ended."""

    def __init__(self) -> None:
        self.kept = b""

    def feed(self, chunk: bytes) -> str:
        self.kept = (self.kept + chunk)[-WORDS_KEPT:]
        return ""


class Stdio:
    def __init__(self, tree: Tree, identity: Identity, supervisor: Supervisor, allowance: Allowance) -> None:
        self._tree = tree
        self._identity = identity
        self._supervisor = supervisor
        self._open_files = allowance.open_files
        self._pump = Pump(supervisor)
        self._opening = threading.Lock()
        self._jobs: dict[str, Job] = {}

    def begin(self, header: Mapping[str, Any], connection: socket.socket) -> NoReturn:
        """Starts the program and says so. Raises HandedOver when it runs, else Refusal."""
        request = Request.parse(header)
        with self._opening:
            self._end_namesake(request.name)
            if sum(not job.reason for job in self._jobs.values()) >= OPEN_LIMIT:  # others are on their way out
                raise Refusal(LIMIT_REACHED, f"{OPEN_LIMIT} servers are running in this workspace already.")
            dialogue = self._start(request, connection)
        try:
            frames.send(connection, {"ok": True})
        finally:  # where nobody listens any more, the pump notices
            self._pump.take(dialogue)
        raise HandedOver

    def _end_namesake(self, name: str) -> None:
        if job := self._jobs.get(name):
            self._supervisor.stop(job, "replaced")
            if not job.wait(END_PATIENCE):
                raise Refusal(UNAVAILABLE, f"The server {name} that runs already does not end.")

    def _start(self, request: Request, connection: socket.socket) -> Dialogue:
        """When this returns, the program has its ends of the pipes and nobody else has them."""
        with ExitStack() as ours, ExitStack() as theirs:
            child_in, to_program = _pipe(reader=theirs, writer=ours)
            from_program, child_out = _pipe(reader=ours, writer=theirs)
            os.set_blocking(to_program, False)
            os.set_blocking(from_program, False)
            job, words = self._job(request, (child_in, child_out))
            dialogue = Dialogue(job, words, to_program, from_program, connection.dup())
            job.on_end = lambda _: self._forget(request.name, dialogue)
            self._jobs[request.name] = job
            self._supervisor.start(job)
            ours.pop_all()
        if job.failure:
            dialogue.close()
            raise job.failure
        return dialogue

    def _job(self, request: Request, inside: tuple[int, int]) -> tuple[Job, LastWords]:
        tag, words = TAG.format(request.name), LastWords()
        job = Job(
            [SHELL, "-c", _redirected(*inside), request.name, *request.argv],
            words,
            cwd_fd=self._open_folder(request),
            env=BASE_ENVIRONMENT | {"HOME": self._tree.home, **request.env, CALL_VARIABLE: tag},
            timeout=LIFETIME,
            pass_fds=inside,
            tag=tag,
            open_files=self._open_files,
        )
        return job, words

    def _forget(self, name: str, dialogue: Dialogue) -> None:
        """On the supervisor's thread."""
        if self._jobs.get(name) is dialogue.job:
            del self._jobs[name]
        self._pump.note_end(dialogue)

    def _open_folder(self, request: Request) -> int:
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
    """A job's own output is its stderr; its stdin and stdout come by number."""
    return f'exec "$@" <&{child_in} >&{child_out} {child_in}<&- {child_out}>&-'


def _pipe(*, reader: ExitStack, writer: ExitStack) -> tuple[int, int]:
    """Each end is closed with its stack."""
    ends = os.pipe2(os.O_CLOEXEC)
    reader.callback(os.close, ends[0])
    writer.callback(os.close, ends[1])
    return ends
