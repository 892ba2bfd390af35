"""Where a workspace's three directories are kept, and who owns them.

files   /workspace: the tool user's
home    /home/agent: the tool user's
runner  /run/runner: journal, snapshots and socket, for the container's root only

A service that is root beside the engine keeps them in a directory of its own that only it may enter (`Folders`), and
so reaches the runner's socket. Any other keeps them in the engine's volumes (`Volumes`): owners come from the image.
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
TOOL_UID: Final = 1000
ROOT_UID: Final = 0


@dataclass(frozen=True, slots=True)
class Folders:
    root: Path

    @property
    def files(self) -> Path:
        return self.root / "files"

    @property
    def home(self) -> Path:
        return self.root / "home"

    @property
    def runner(self) -> Path:
        return self.root / "runner"

    @property
    def socket(self) -> Path:
        return self.runner / "socket"

    def owners(self) -> Iterator[tuple[Path, int, int]]:
        """Each directory, the uid inside the container that owns it, and its mode."""
        yield self.files, TOOL_UID, 0o755
        yield self.home, TOOL_UID, 0o755
        yield self.runner, ROOT_UID, 0o700

    def make(self) -> bool:
        """False when all of them were there already."""
        missing = [path for path, _, _ in self.owners() if not path.exists()]
        try:
            self.root.mkdir(mode=0o700, parents=True, exist_ok=True)
            for path in missing:
                path.mkdir(mode=0o700, exist_ok=True)
        except OSError as error:
            raise LimitReached(f"The workspace's directory could not be made: {error.strerror}.") from error
        return bool(missing)

    def give_to_container(self, offset: int) -> None:
        """Only the directories: what is in them belongs to whoever made it. The service must be root."""
        for path, uid, mode in self.owners():
            os.chown(path, offset + uid, offset + uid, follow_symlinks=False)
            path.chmod(mode)

    def delete(self) -> None:
        """With rm, which copes with any depth and follows no link. Its container must be gone."""
        if not self.root.exists():
            return
        result = subprocess.run(
            ["rm", "-rf", "--one-file-system", "--", str(self.root)], capture_output=True, text=True, check=False
        )
        if result.returncode != 0:
            raise SandboxUnavailable(f"The workspace's files could not be removed: {result.stderr.strip()[:300]}")


@dataclass(frozen=True, slots=True)
class Volumes:
    """Named after the container."""

    prefix: str

    def names(self) -> list[str]:
        return [f"{self.prefix}-{name}" for name in INSIDE]


def mounts_of(place: Folders | Volumes) -> dict[str, dict[str, str]]:
    """For the SDK's `volumes`."""
    sources = place.names() if isinstance(place, Volumes) else [str(place.root / name) for name in INSIDE]
    return {source: {"bind": inside, "mode": "rw"} for source, inside in zip(sources, INSIDE.values(), strict=True)}
