"""A workspace's three directories on this host, and who owns them.

files   /workspace: the tool user's
home    /home/agent: the tool user's
runner  /run/runner: journal, snapshots and socket, for the container's root only

The first two share one limit, so they lie together; the third has its own, so that a full disk is not the runner's.
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
INSIDE: Final[Mapping[str, str]] = {"files": WORKSPACE_ROOT, "home": HOME, "runner": RUNNER_STATE}
LIMITED: Final = ("files", "home")
TOOL_UID: Final = 1000
ROOT_UID: Final = 0


@dataclass(frozen=True, slots=True)
class Folders:
    """`root` is the workspace's directory, `data` the one below it (or itself) that holds `files` and `home`."""

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
        """Directory on the host to its place inside."""
        return {str(self.files): WORKSPACE_ROOT, str(self.home): HOME, str(self.runner): RUNNER_STATE}

    def owners(self) -> Iterator[tuple[Path, int, int]]:
        """Each directory, the uid inside the container that owns it, and its mode."""
        yield self.files, TOOL_UID, 0o755
        yield self.home, TOOL_UID, 0o755
        yield self.runner, ROOT_UID, 0o700

    def make(self, owner: int) -> None:
        """Only the directories are given away: what is in them belongs to whoever made it. The service must be root.

        A directory with the right owner was finished before, and is the container's to change the mode of.
        """
        try:
            self.root.mkdir(mode=0o700, parents=True, exist_ok=True)
            for path, uid, mode in self.owners():
                path.mkdir(mode=0o700, exist_ok=True)
                if path.lstat().st_uid != owner + uid:
                    path.chmod(mode)
                    os.chown(path, owner + uid, owner + uid, follow_symlinks=False)
        except OSError as error:
            raise LimitReached(f"The workspace's directory could not be made: {error.strerror}.") from error


def remove_tree(path: Path) -> None:
    """With rm, which copes with any depth, follows no link and stays on one file system."""
    command = ["rm", "-rf", "--one-file-system", "--", str(path)]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    if result.returncode != 0:
        raise SandboxUnavailable(f"The workspace's files could not be removed: {result.stderr.strip()[:300]}")
