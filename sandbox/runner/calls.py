"""Commands with an id that lasts: started once, watched by any number of connections, remembered when they end."""

import hashlib
import json
import os
import select
import socket
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from . import frames
from .identity import Identity
from .journal import Entry, Journal
from .processes import Job, Supervisor
from .refusals import LIMIT_REACHED, NOT_FOUND, NOT_PERMITTED, REFUSED, Refusal, from_os_error
from .sweep import CALL_VARIABLE
from .tree import Tree

LIVE_LIMIT: Final = 16
WATCHER_LIMIT: Final = 20
OUTPUT_LIMIT: Final = 8 << 20
TIMEOUT_LIMIT: Final = 24 * 3600.0
ABORT_PATIENCE: Final = 8.0
SHELL: Final = "/bin/bash"
BASE_ENVIRONMENT: Final = {
    "PATH": "/home/agent/.local/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
    "USER": "agent",
    "LOGNAME": "agent",
    "SHELL": SHELL,
    "LC_CTYPE": "C.UTF-8",
    "TERM": "dumb",
    "PAGER": "cat",
    "GIT_PAGER": "cat",
    "GIT_TERMINAL_PROMPT": "0",
    "PYTHONUNBUFFERED": "1",
}


class Tail:
    """The last `limit` bytes of an output, with the position they have in it."""

    def __init__(self, limit: int, flood_limit: int) -> None:
        self._limit = limit
        self._flood_limit = flood_limit
        self._kept = bytearray()
        self.total = 0

    @property
    def start(self) -> int:
        return self.total - min(len(self._kept), self._limit)

    def feed(self, chunk: bytes) -> str:
        self._kept += chunk
        self.total += len(chunk)
        if len(self._kept) > 2 * self._limit:
            del self._kept[: -self._limit or None]
        return "flooded" if self.total > self._flood_limit else ""

    def since(self, position: int) -> tuple[int, bytes]:
        """What is kept from `position` on, and where it really starts."""
        start = max(position, self.start)
        return start, bytes(self._kept[len(self._kept) - (self.total - start) :])


@dataclass(frozen=True, slots=True)
class Request:
    call_id: str
    command: str
    workdir: str
    exact: bool
    timeout: float
    env: Mapping[str, str]
    output_limit: int
    flood_limit: int

    @classmethod
    def parse(cls, header: Mapping[str, Any]) -> "Request":
        try:
            request = cls(
                call_id=str(header["call_id"]),
                command=str(header["command"]),
                workdir=str(header["workdir"]),
                exact=header.get("exact") is True,
                timeout=min(float(header["timeout"]), TIMEOUT_LIMIT),
                env={str(name): str(value) for name, value in header["env"].items()},
                output_limit=max(0, min(int(header["output_limit"]), OUTPUT_LIMIT)),
                flood_limit=int(header["flood_limit"]),
            )
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise Refusal(REFUSED, "This is not a complete run request.") from error
        if "\0" in request.command or any("\0" in f"{n}{v}" or "=" in n or not n for n, v in request.env.items()):
            raise Refusal(REFUSED, "A command or its environment contains what no process can be given.")
        return request

    def digest(self) -> str:
        fields = [self.command, self.workdir, self.timeout, sorted(self.env.items()), self.output_limit]
        return hashlib.sha256(json.dumps(fields).encode()).hexdigest()


@dataclass(slots=True)
class Call:
    job: Job
    tail: Tail


class Calls:
    def __init__(self, tree: Tree, identity: Identity, supervisor: Supervisor, journal: Journal) -> None:
        self._tree = tree
        self._identity = identity
        self._supervisor = supervisor
        self._journal = journal
        self._lock = threading.Lock()
        self._live: dict[str, Call] = {}
        self._watchers = threading.BoundedSemaphore(WATCHER_LIMIT)

    def live_ids(self) -> list[str]:
        return list(self._live)

    def run(self, header: Mapping[str, Any], connection: socket.socket) -> frames.Header:
        """Starts or joins the command, sends its output as it comes; the answer to send last."""
        request = Request.parse(header)
        if not self._watchers.acquire(blocking=False):
            raise Refusal(LIMIT_REACHED, "Too many commands are being watched in this workspace.")
        try:
            found = self._find_or_start(request)
            return watch(found, connection) if isinstance(found, Call) else self._recall(found, connection)
        finally:
            self._watchers.release()

    def abort(self, call_id: str) -> bool:
        """Returns when the command is over."""
        call = self._live.get(call_id)
        if call is None or call.job.is_over:
            return False
        self._supervisor.stop(call.job, "aborted")
        return call.job.wait(ABORT_PATIENCE)

    def _find_or_start(self, request: Request) -> Call | Entry:
        with self._lock:
            entry = self._journal.find(request.call_id)
            if entry and entry.request != request.digest():
                raise Refusal(NOT_PERMITTED, f"The call {request.call_id} was another request.")
            if call := self._live.get(request.call_id):
                return call
            return entry or self._start(request)

    def _start(self, request: Request) -> Call:
        if len(self._live) >= LIVE_LIMIT:
            raise Refusal(LIMIT_REACHED, f"{LIVE_LIMIT} commands are running in this workspace; wait for one to end.")
        cwd_fd = self._open_workdir(request)
        tail = Tail(request.output_limit, request.flood_limit)
        job = Job(
            [SHELL, "-c", request.command],
            tail,
            cwd_fd=cwd_fd,
            env=BASE_ENVIRONMENT | {"HOME": self._tree.home, **request.env, CALL_VARIABLE: request.call_id},
            timeout=request.timeout,
            tag=request.call_id,
            on_end=lambda job: self._remember(request.call_id, job, tail),
        )
        self._journal.start(request.call_id, request.digest())
        call = self._live[request.call_id] = Call(job, tail)
        self._supervisor.start(job)
        return call

    def _open_workdir(self, request: Request) -> int:
        path, flags = request.workdir, os.O_PATH | os.O_DIRECTORY
        with self._identity.as_tool_user():
            try:
                with self._tree.opened(path, flags, exact=request.exact) as (fd, _):
                    return os.dup(fd)
            except FileNotFoundError as error:
                raise Refusal(NOT_FOUND, f"The working directory does not exist: {path}") from error
            except OSError as error:
                raise from_os_error(error, path) from error

    def _remember(self, call_id: str, job: Job, tail: Tail) -> None:
        """On the supervisor's thread: the journal knows the result before anyone is told."""
        start, output = tail.since(0)
        with self._lock:
            try:
                if job.failure:
                    self._journal.withdraw(call_id)
                else:
                    self._journal.finish(call_id, result_of(job, tail.total, start), output)
            finally:
                self._live.pop(call_id, None)

    def _recall(self, entry: Entry, connection: socket.socket) -> frames.Header:
        if entry.result is None:
            return {"end": "lost", "exit_code": -1, "total": 0, "dropped": 0, "started_at": 0.0, "duration": 0.0}
        with self._lock:
            output, result = self._journal.output(entry), dict(entry.result)
        if output:
            frames.send(connection, {"event": "output", "at": result["dropped"]}, output)
        return result


def result_of(job: Job, total: int, dropped: int) -> dict[str, Any]:
    return {
        "end": job.reason or "exited",
        "exit_code": job.exit_code,
        "total": total,
        "dropped": dropped,
        "started_at": job.started_at,
        "duration": job.duration,
    }


def watch(call: Call, connection: socket.socket) -> frames.Header:
    """Send output as it comes until the command is over. Raises OSError when the watcher has gone; nothing ends then.

    A slow watcher skips what is no longer kept, it never holds the command up.
    """
    job, tail, position = call.job, call.tail, 0
    while True:
        with job.condition:
            ready = tail.total > position or job.is_over or job.condition.wait(timeout=1.0)
            over = job.is_over
            start, chunk = tail.since(position)
        if chunk:
            frames.send(connection, {"event": "output", "at": start}, chunk)
            position = start + len(chunk)
        elif over:
            break
        elif not ready:
            require_watcher(connection)
    if job.failure:
        raise job.failure
    return result_of(job, tail.total, tail.start)


def require_watcher(connection: socket.socket) -> None:
    poll = select.poll()
    poll.register(connection, select.POLLRDHUP)
    if poll.poll(0):
        raise ConnectionAbortedError("The watcher has gone.")
