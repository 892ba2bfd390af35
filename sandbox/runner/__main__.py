"""Start the runner.

Without arguments it starts in its container; with `--local DIRECTORY` it starts on a host, for unit tests. With
`--bridge SOCKET` it starts no runner, but forwards requests from stdin to the runner that listens on that socket.
"""

import os
import signal
import sys
import threading
from typing import Final

from . import bridge, hardening, kernel
from .privileges import Identity, SeparateUsers, SingleUser
from .process_cleanup import LiveCall, signal_tree
from .retries import RESTART_EXIT_CODE
from .selfcheck_runner import SelfCheck, start_unsupervised
from .server import Server, listen
from .tree import Tree
from .unprotected import UnprotectedServer

STATE_FOLDER: Final = "/run/runner"
SOCKET_NAME: Final = "socket"


def main() -> None:
    threading.excepthook = _exit_on_thread_error
    match sys.argv[1:]:
        case ["--bridge", path]:
            bridge.main(path)
        case ["--local", folder]:
            hardening.adopt_orphans()
            threading.Thread(target=_exit_with_parent, daemon=True).start()
            _serve(Tree(f"{folder}/files", f"{folder}/home"), SingleUser(), f"{folder}/runner")
        case []:
            _serve_container()
        case _:
            sys.exit("usage: runner [--local DIRECTORY | --bridge SOCKET]")


def _serve_container() -> None:
    hardening.require_few_capabilities()
    os.setgroups([])
    os.umask(0o022)
    hardening.shorten_time_slices()
    kernel.reduce_memory_use()
    weaknesses = hardening.restrict_runner()
    if weaknesses:
        UnprotectedServer(SelfCheck(start_unsupervised(SeparateUsers()), weaknesses)).serve(
            listen(f"{STATE_FOLDER}/{SOCKET_NAME}")
        )
    _serve(Tree(), SeparateUsers(), STATE_FOLDER)


def _serve(tree: Tree, identity: Identity, state: str) -> None:
    Server(tree, identity, state).serve(listen(f"{state}/{SOCKET_NAME}"))


def _exit_with_parent() -> None:
    """Wait for the end of stdin, then kill this process and its children.

    Unit tests hold the other end of stdin, so nothing they started outlives them.
    """
    sys.stdin.buffer.read()
    signal_tree(SingleUser(), LiveCall(os.getpid(), "", 0), signal.SIGKILL)


def _exit_on_thread_error(arguments: threading.ExceptHookArgs) -> None:
    """Print an uncaught error of a thread and exit.

    A runner with a dead thread would leave calls hanging. After the restart, the journal knows which calls were lost.
    """
    sys.excepthook(arguments.exc_type, arguments.exc_value or arguments.exc_type(), arguments.exc_traceback)
    os._exit(RESTART_EXIT_CODE)


if __name__ == "__main__":
    main()
