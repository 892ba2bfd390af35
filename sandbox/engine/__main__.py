"""The container engine of a site.

start    print the address of a running engine; if none answers, start a private one first
stop     stop the private engine, if there is one, and unmount the disks of the site's workspaces
remove   stop the private engine and delete its images and containers; workspaces are kept
status   print the address and exit with 0, or exit with 3 if no engine answers
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

NOT_RUNNING: Final = 3  # exit status


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="engine", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("verb", choices=("start", "stop", "remove", "status"))
    parser.add_argument(
        "--state",
        type=Path,
        default=Path(os.environ.get("AGENTSITE_STATE", "var/site")),
        help="the site's directory, with the private engine in docker/ (default: AGENTSITE_STATE, else var/site)",
    )
    parser.add_argument("--private", action="store_true", help="use a private engine even if another one answers")
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
        sys.stderr.write("No container engine answers. Start one with deploy/bin/engine start.\n")
        return NOT_RUNNING
    sys.stdout.write(f"{found or engine.start()}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
