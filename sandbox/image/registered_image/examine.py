"""Examine a registered image from inside, before anything else runs in it: print the problems that make it unusable,
one in each line."""

import os
import shutil
import stat
import sys
from collections.abc import Iterator

PROGRAMS = {"bash": "bash", "git": "git", "rg": "ripgrep", "diff": "diffutils"}
"""Programs that the runner starts, and the Debian packages that contain them."""
OLDEST_PYTHON = (3, 11)
SHOWN = 5  # files in one reason
NOT_OF_THE_IMAGE = {"proc", "sys", "dev"}


def main() -> None:
    sys.stdout.writelines(f"{reason}\n" for reason in reasons())


def reasons() -> Iterator[str]:
    if sys.version_info < OLDEST_PYTHON:
        yield f"its python3 is {sys.version.split()[0]}; the runner needs 3.11 or newer"
    for program, package in PROGRAMS.items():
        if shutil.which(program) is None:
            yield f"it has no {program} (package {package})"
    if found := sorted(privileged_files()):
        more = f" and {len(found) - SHOWN} more" if len(found) > SHOWN else ""
        yield f"it has setuid or setgid files: {', '.join(found[:SHOWN])}{more}"


def privileged_files() -> Iterator[str]:
    for folder, folders, files in os.walk("/"):
        folders[:] = [name for name in folders if folder != "/" or name not in NOT_OF_THE_IMAGE]
        for name in files:
            path = f"{folder.rstrip('/')}/{name}"
            mode = os.lstat(path).st_mode
            if stat.S_ISREG(mode) and mode & (stat.S_ISUID | stat.S_ISGID):
                yield path


if __name__ == "__main__":
    main()
