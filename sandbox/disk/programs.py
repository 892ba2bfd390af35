"""Run the system programs that the disk drivers need."""

import subprocess
from typing import Final

from sandbox.disk.driver import DiskUnusable
from sandbox.errors import SandboxUnavailable

SEARCH_PATH: Final = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


def run_program(*command: str, package: str) -> str:
    """Run a program and return its standard output.

    Raises DiskUnusable if the program is not installed, and SandboxUnavailable with the end of its output if it fails.
    """
    try:
        result = subprocess.run(
            command, capture_output=True, text=True, check=False, env={"PATH": SEARCH_PATH, "LC_ALL": "C"}, cwd="/"
        )
    except FileNotFoundError as error:
        raise DiskUnusable(f"{command[0]} is missing: apt-get install {package}.") from error
    if result.returncode != 0:
        output = (result.stderr.strip() or result.stdout.strip())[-300:]
        raise SandboxUnavailable(f"{command[0]} failed: {output}")
    return result.stdout
