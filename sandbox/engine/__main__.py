"""The container engine of a site.

start    print the address of the engine to use: the one that answers, else a private one that is started
stop     end the private engine, if there is one, and unmount the disks of the site's workspaces
remove   end it and delete its images and containers; workspaces stay
status   print the address and exit 0, or exit 3 when no engine answers
"""

import argparse
import os
import sys
from pathlib import Path
from typing import Final

from sandbox.disk.workspace_disks import release_all
from sandbox.engine import api
from sandbox.engine.private import PrivateEngine
from sandbox.errors import SandboxUnavailable

NOT_RUNNING: Final = 3


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="engine", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("verb", choices=("start", "stop", "remove", "status"))
    parser.add_argument(
        "--state",
        type=Path,
        default=Path(os.environ.get("AGENTSITE_STATE", "var/site")),
        help="the site's directory; the private engine lives in docker/ of it (AGENTSITE_STATE, var/site)",
    )
    parser.add_argument("--private", action="store_true", help="start a private engine even where another answers")
    arguments = parser.parse_args()
    try:
        status = _perform(arguments.verb, PrivateEngine(arguments.state / "docker"), private=arguments.private)
        if arguments.verb in ("stop", "remove"):
            release_all(arguments.state / "workspaces")
        return status
    except SandboxUnavailable as error:
        sys.stderr.write(f"{error.message}\n")
        return 1


def _perform(verb: str, engine: PrivateEngine, *, private: bool) -> int:
    if verb in ("stop", "remove"):
        engine.stop() if verb == "stop" else engine.remove()
        return 0
    found = engine.host if engine.is_running() else None if private else api.running_engine()
    if found is None and verb == "status":
        sys.stderr.write("No container engine answers.\n")
        return NOT_RUNNING
    sys.stdout.write(f"{found or engine.start()}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
