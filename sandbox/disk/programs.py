"""The few programs of the system that drivers need."""

import subprocess
from typing import Final

from sandbox.disk.driver import DiskUnusable
from sandbox.errors import SandboxUnavailable

PLACES: Final = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


def run_program(*command: str, package: str) -> str:
    """What it printed. DiskUnusable when it is not installed, SandboxUnavailable with its last words when it fails."""
    try:
        result = subprocess.run(
            command, capture_output=True, text=True, check=False, env={"PATH": PLACES, "LC_ALL": "C"}, cwd="/"
        )
    except FileNotFoundError as error:
        raise DiskUnusable(f"{command[0]} is missing: apt-get install {package}.") from error
    if result.returncode != 0:
        words = (result.stderr.strip() or result.stdout.strip())[-300:]
        raise SandboxUnavailable(f"{command[0]} failed: {words}")
    return result.stdout
