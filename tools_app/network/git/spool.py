"""Folders in which the door keeps pushes while it judges them. The folders of a killed door are removed."""

import os
import shutil
import tempfile
from pathlib import Path
from typing import Final

PREFIX: Final = "agentsite-push-"


def push_folder() -> tempfile.TemporaryDirectory[str]:
    """Create a temporary folder for a push, named after this process. It is deleted when its context ends."""
    return tempfile.TemporaryDirectory(prefix=f"{PREFIX}{os.getpid()}-")


def remove_leftovers(root: Path | None = None) -> int:
    """Remove the folders of processes that no longer exist. Returns their number."""
    removed = 0
    for folder in (root or Path(tempfile.gettempdir())).glob(f"{PREFIX}*"):
        owner = folder.name.removeprefix(PREFIX).partition("-")[0]
        if owner.isdigit() and not folder.is_symlink() and not Path(f"/proc/{owner}").exists():
            shutil.rmtree(folder, ignore_errors=True)
            removed += 1
    return removed
