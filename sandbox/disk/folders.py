"""The three directories of a workspace on this host, and their owners.

files   mounted at /workspace; owned by the tool user
home    mounted at /home/agent; owned by the tool user
runner  mounted at /run/runner: journal, snapshots and socket; only for root in the container

`files` and `home` share one disk limit, so they are on the same disk. `runner` has a limit of its own, so that the
runner can still write when the workspace's disk is full.
"""

import os
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from sandbox.errors import LimitReached, SandboxUnavailable
from sandbox.ports import HOME, WORKSPACE_ROOT

RUNNER_STATE: Final = "/run/runner"
CONTAINER_PATHS: Final[Mapping[str, str]] = {"files": WORKSPACE_ROOT, "home": HOME, "runner": RUNNER_STATE}
DATA_FOLDERS: Final = ("files", "home")
TOOL_UID: Final = 1000
ROOT_UID: Final = 0


@dataclass(frozen=True, slots=True)
class Folders:
    """The directories of one workspace.

    `root` contains everything. `data` contains `files` and `home`; it is a subdirectory of `root`, or `root` itself.
    """

    root: Path
    data: Path

    @property
    def files(self) -> Path:
        return self.data / "files"

    @property
    def home(self) -> Path:
        return self.data / "home"

    @property
    def runner(self) -> Path:
        return self.root / "runner"

    @property
    def socket(self) -> Path:
        return self.runner / "socket"

    def sources(self) -> Mapping[str, str]:
        """Map each of the workspace's directories on the host to its path in the container."""
        return {str(self.files): WORKSPACE_ROOT, str(self.home): HOME, str(self.runner): RUNNER_STATE}

    def owners(self) -> Iterator[tuple[Path, int, int]]:
        """Yield each directory with its owner's uid inside the container and its mode."""
        yield self.files, TOOL_UID, 0o755
        yield self.home, TOOL_UID, 0o755
        yield self.runner, ROOT_UID, 0o700

    def make(self, owner: int) -> None:
        """Create the directories and give them to their owners. Needs root.

        Only the directories themselves change owner, not the files in them. A directory that already has the right
        owner is complete and stays unchanged, because the container may have changed its mode.
        """
        try:
            self.root.mkdir(mode=0o700, parents=True, exist_ok=True)
            for path, uid, mode in self.owners():
                path.mkdir(mode=0o700, exist_ok=True)
                if path.lstat().st_uid != owner + uid:
                    path.chmod(mode)
                    os.chown(path, owner + uid, owner + uid, follow_symlinks=False)
        except OSError as error:
            raise LimitReached(f"The workspace's directory could not be created: {error.strerror}.") from error


def remove_tree(path: Path) -> None:
    """Delete a directory with `rm`, which copes with any depth, follows no link and stays on one file system."""
    command = ["rm", "-rf", "--one-file-system", "--", str(path)]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    if result.returncode != 0:
        raise SandboxUnavailable(f"The workspace's files could not be removed: {result.stderr.strip()[:300]}")
