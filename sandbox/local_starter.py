"""Start Python programs quickly, for tests only: a starter loads their modules once and forks for each process.

Loading them in a new Python takes longer than most tests. The starter ends with the process that uses it.
"""

import json
import os
import select
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any, Final

REPOSITORY: Final = Path(__file__).resolve().parent.parent
PROGRAM: Final = (
    f"import sys; sys.path.insert(0, {str(REPOSITORY)!r}); from sandbox.local_starter import serve; serve()"
)
LARGEST_MESSAGE: Final = 1 << 20  # bytes; a request holds the environment
MOST_FILES: Final = 3
FAILED: Final = 1


class Started:
    """A started process, which is not a child of this process.

    `pid` is its id and the id of its session; `pidfd` can be polled for its end, and is closed by `release`.
    """

    def __init__(self, pid: int, pidfd: int) -> None:
        self.pid = pid
        self.pidfd = pidfd

    def has_ended(self) -> bool:
        return self._poll(0)

    def wait(self) -> None:
        """Block until the process has ended."""
        self._poll(None)

    def release(self) -> None:
        """Close the process's descriptor `pidfd`. Call this once, as the last method."""
        os.close(self.pidfd)

    def _poll(self, milliseconds: int | None) -> bool:
        poll = select.poll()
        poll.register(self.pidfd, select.POLLIN)
        return bool(poll.poll(milliseconds))


class Starter:
    """A starter of processes that run `main()` of one of the modules. Any thread may use it.

    Its own process is started together with the first process. `flags` are the command-line flags of Python.
    """

    def __init__(self, *modules: str, flags: Sequence[str] = ()) -> None:
        self._command = [sys.executable, *flags, "-c", PROGRAM]
        self._modules = modules
        self._lock = threading.Lock()
        self._connection: socket.socket | None = None
        self._process: subprocess.Popen[bytes] | None = None

    def start(self, module: str, *arguments: str, environment: Mapping[str, str], files: Sequence[int] = ()) -> Started:
        """Start a process in an OS session of its own.

        `files` are the process's first descriptors; it inherits its other open files from the starter.
        """
        request = {"module": module, "arguments": arguments, "environment": dict(environment)}
        with self._lock:
            connection = self._connection or self._begin()
            socket.send_fds(connection, [json.dumps(request).encode()], list(files))
            pid, descriptors, _, _ = socket.recv_fds(connection, 32, 1)
        return Started(int(pid), descriptors[0])

    def _begin(self) -> socket.socket:
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        ours.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, LARGEST_MESSAGE)
        with theirs:
            self._process = subprocess.Popen(
                [*self._command, str(theirs.fileno()), *self._modules],
                stdin=subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
                start_new_session=True,
            )
        self._connection = ours
        return ours


# --- in the starter ---------------------------------------------------------------------------------------------------
def serve() -> None:
    """Fork a process for each request until the other end of the connection is closed."""
    connection = socket.socket(fileno=int(sys.argv[1]))
    for module in sys.argv[2:]:
        import_module(module)
    while True:
        request, files, _, _ = socket.recv_fds(connection, LARGEST_MESSAGE, MOST_FILES)
        if not request:
            return
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)  # so that the child exists until its descriptor is open
        if (pid := os.fork()) == 0:
            _run(connection, json.loads(request), files)
        pidfd = os.pidfd_open(pid)
        signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # so that no ended process stays a zombie
        _reap_ended()
        socket.send_fds(connection, [str(pid).encode()], [pidfd])
        for descriptor in (pidfd, *files):
            os.close(descriptor)


def _reap_ended() -> None:
    with suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass


def _run(connection: socket.socket, request: dict[str, Any], files: Sequence[int]) -> None:
    status = FAILED
    try:
        connection.close()
        os.setsid()
        for number, descriptor in enumerate(files):
            os.dup2(descriptor, number)
            os.close(descriptor)
        os.environ.clear()
        os.environ.update(request["environment"])
        sys.argv = [request["module"], *request["arguments"]]
        sys.modules[request["module"]].main()
        sys.stdout.flush()
        status = 0
    except BaseException:  # noqa: BLE001
        sys.excepthook(*sys.exc_info())
    finally:
        os._exit(status)
