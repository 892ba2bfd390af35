"""List or release the mounts and loop devices of workspaces: python -m sandbox.disk VERB DIRECTORY

list      print each workspace with the mount points of its disks and its loop devices
release   unmount all disks of workspaces; stop the containers first; files are kept
driver    print the driver that limits disk usage in this directory, and what it enforces
"""

import argparse
import sys
from pathlib import Path

from sandbox.disk.workspace_disks import WorkspaceDisks, kernel_resources_below, release_all
from sandbox.errors import SandboxUnavailable


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m sandbox.disk", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("verb", choices=("list", "release", "driver"))
    parser.add_argument(
        "root", type=Path, metavar="directory", help="the directory with the workspaces of a site: <state>/workspaces"
    )
    arguments = parser.parse_args()
    try:
        perform(arguments.verb, arguments.root)
    except (OSError, SandboxUnavailable) as error:
        sys.stderr.write(f"{error}\n")
        return 1
    return 0


def perform(verb: str, root: Path) -> None:
    if verb == "driver":
        driver = WorkspaceDisks(root).driver()
        sys.stdout.write(f"{driver.name}: {driver.detail}\n")
        return
    for resources in release_all(root) if verb == "release" else kernel_resources_below(root):
        columns = [resources.workspace_id or "(all)", *resources.mounts, *resources.loops]
        sys.stdout.write("\t".join(columns) + "\n")


if __name__ == "__main__":
    sys.exit(main())
