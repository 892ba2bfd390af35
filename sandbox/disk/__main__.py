"""What the workspaces below a directory hold of the kernel: python -m sandbox.disk VERB DIRECTORY

list      print each workspace with the places where its disks are mounted and its loop devices
release   unmount all of it; the containers must be stopped, files stay
driver    print how disks are limited there, and how well
"""

import argparse
import sys
from pathlib import Path

from sandbox.disk.workspace_disks import Places, held_below, release_all
from sandbox.errors import SandboxUnavailable


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m sandbox.disk", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("verb", choices=("list", "release", "driver"))
    parser.add_argument("root", type=Path, metavar="directory", help="the workspaces of a site: <state>/workspaces")
    arguments = parser.parse_args()
    try:
        perform(arguments.verb, arguments.root)
    except (OSError, SandboxUnavailable) as error:
        sys.stderr.write(f"{error}\n")
        return 1
    return 0


def perform(verb: str, root: Path) -> None:
    if verb == "driver":
        driver = Places(root).driver()
        sys.stdout.write(f"{driver.name}: {driver.detail}\n")
        return
    for held in release_all(root) if verb == "release" else held_below(root):
        sys.stdout.write("\t".join([held.workspace_id or "(all)", *held.mounts, *held.loops]) + "\n")


if __name__ == "__main__":
    sys.exit(main())
