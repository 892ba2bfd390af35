"""Child processes that start fast, because all modules are already imported, and may be killed at any time.

A nursery is a process without threads that forks a child for each job. A job is a function, named as
"package.module:function", with JSON arguments. Its standard output is its report.
"""

import array
import fcntl
import importlib
import json
import os
import select
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any, Final

from agentsite.embedded.valkey import bind_to_parent

MESSAGE_LIMIT: Final = 1 << 16


@dataclass
class Child:
    """A child process. `kill` ends it like a crash; it uses a pidfd, so it cannot end another process."""

    handle: int
    output: int
    killed: bool = False
    _printed: bytearray = field(default_factory=bytearray)

    def ends_within(self, seconds: float) -> bool:
        poll = select.poll()
        poll.register(self.handle, select.POLLIN)
        return bool(poll.poll(max(0.0, seconds) * 1000))

    def prints_within(self, seconds: float) -> bool:
        """Return whether the child prints something or ends within the seconds."""
        poll = select.poll()
        poll.register(self.output, select.POLLIN)
        return bool(poll.poll(seconds * 1000))

    def kill(self) -> bool:
        """Kill the process. Return False if it had ended by itself."""
        if self.ends_within(0):
            return False
        signal.pidfd_send_signal(self.handle, signal.SIGKILL)
        self.ends_within(10)
        self.killed = True
        return True

    def report(self) -> str:
        """Wait for the end of the process; return its output. May be called once."""
        while chunk := os.read(self.output, MESSAGE_LIMIT):
            self._printed += chunk
        os.close(self.output)
        os.close(self.handle)
        return self._printed.decode("utf-8", "replace")


class Nursery:
    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self._lock = threading.Lock()

    def start(self, job: str, **arguments: Any) -> Child:
        reading, writing = os.pipe2(os.O_CLOEXEC)
        request = json.dumps({"job": job, "arguments": arguments}).encode()
        with self._lock:
            socket.send_fds(self._connection, [request], [writing])
            os.close(writing)
            _, handles, _, _ = socket.recv_fds(self._connection, 1, 1)
        fcntl.fcntl(handles[0], fcntl.F_SETFD, fcntl.FD_CLOEXEC)
        return Child(handles[0], reading)


@contextmanager
def nursery(*modules: str) -> Iterator[Nursery]:
    """Run a process (nursery) that imports `modules` and forks a child for each job; yield its client."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    command = [sys.executable, "-m", "tests.support.killable", str(theirs.fileno()), *modules]
    process = subprocess.Popen(command, pass_fds=[theirs.fileno()])
    theirs.close()
    try:
        yield Nursery(ours)
    finally:
        ours.close()
        process.wait(10)


def _serve(connection: socket.socket, modules: Sequence[str]) -> None:
    for module in modules:
        importlib.import_module(module)
    while True:
        request, fds, _, _ = socket.recv_fds(connection, MESSAGE_LIMIT, 1)
        if not request:
            return
        _bury_the_dead()
        pid = os.fork()
        if pid == 0:
            bind_to_parent(signal.SIGKILL)
            connection.close()
            os.dup2(fds[0], 1)
            _work(**json.loads(request))
        handle = os.pidfd_open(pid)
        connection.sendmsg([b"+"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [handle]))])
        os.close(handle)
        os.close(fds[0])


def _work(job: str, arguments: dict[str, Any]) -> None:
    module, _, name = job.partition(":")
    status = 1
    try:
        getattr(importlib.import_module(module), name)(**arguments)
        sys.stdout.flush()
        status = 0
    except BaseException as error:  # noqa: BLE001 - a fork must never return into its parent's code
        sys.stderr.write(f"{job}: {error!r}\n")
    finally:
        os._exit(status)


def _bury_the_dead() -> None:
    with suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass


if __name__ == "__main__":
    _serve(socket.socket(fileno=int(sys.argv[1])), sys.argv[2:])
