"""Start the runner: in its container without arguments, on a host for unit tests with `--local DIRECTORY`.

`--bridge SOCKET` instead carries requests from stdin to a runner that is there already.
"""

import os
import signal
import sys
import threading
from typing import Final

from . import bridge, hardening, kernel
from .privileges import Identity, Single, Split
from .process_cleanup import LiveCall, end_tree
from .retries import RESTART_ME
from .selfcheck_runner import SelfCheck, by_itself
from .server import Server, listen
from .tree import Tree
from .unprotected import UnfitServer

STATE: Final = "/run/runner"
SOCKET_NAME: Final = "socket"


def main() -> None:
    threading.excepthook = _die
    match sys.argv[1:]:
        case ["--bridge", path]:
            bridge.main(path)
        case ["--local", folder]:
            hardening.adopt_orphans()
            threading.Thread(target=_end_with_parent, daemon=True).start()
            _serve(Tree(f"{folder}/files", f"{folder}/home"), Single(), f"{folder}/runner")
        case []:
            _serve_container()
        case _:
            sys.exit("usage: runner [--local DIRECTORY | --bridge SOCKET]")


def _serve_container() -> None:
    hardening.require_few_capabilities()
    os.setgroups([])
    os.umask(0o022)
    hardening.take_short_turns()
    kernel.keep_memory_together()
    weaknesses = hardening.become_unreachable()
    if weaknesses:
        UnfitServer(SelfCheck(by_itself(Split()), weaknesses)).serve(listen(f"{STATE}/{SOCKET_NAME}"))
    _serve(Tree(), Split(), STATE)


def _serve(tree: Tree, identity: Identity, state: str) -> None:
    Server(tree, identity, state).serve(listen(f"{state}/{SOCKET_NAME}"))


def _end_with_parent() -> None:
    """Unit tests hold the other end of stdin: when they are gone, nothing of theirs may stay."""
    sys.stdin.buffer.read()
    end_tree(Single(), LiveCall(os.getpid(), "", 0), signal.SIGKILL)


def _die(arguments: threading.ExceptHookArgs) -> None:
    """A thread that cannot go on would leave calls hanging: end, be started again, and let the journal tell."""
    sys.excepthook(arguments.exc_type, arguments.exc_value or arguments.exc_type(), arguments.exc_traceback)
    os._exit(RESTART_ME)


if __name__ == "__main__":
    main()
