"""Prepare a registered image during its build: create the tool user and the directories that the runner needs."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

GIT_SETTINGS = {
    "safe.directory": "*",
    "init.defaultBranch": "main",
    "user.name": "agent",
    "user.email": "agent@localhost",
}
LFS_SETTINGS = {"lfs.skipDownloadErrors": "true", "lfs.transfer.maxRetries": "1", "lfs.transfer.maxRetryDelay": "1"}
"""Settings of Git LFS: files that cannot be fetched stay pointers, and a refused transfer is retried only once."""
PYTHON = Path("/usr/bin/python3")


def main() -> None:
    replace_entry(Path("/etc/passwd"), "agent:x:1000:1000::/home/agent:/bin/bash")
    replace_entry(Path("/etc/group"), "agent:x:1000:")
    for folder in ("/workspace", "/home/agent"):
        Path(folder).mkdir(parents=True, exist_ok=True)
        os.chown(folder, 1000, 1000)
    runner = Path("/run/runner")
    runner.mkdir(parents=True, exist_ok=True)
    runner.chmod(0o700)
    if not PYTHON.exists():
        PYTHON.symlink_to(shutil.which("python3") or sys.executable)
    for name, value in GIT_SETTINGS.items():
        subprocess.run(["git", "config", "--system", name, value], check=True)
    if shutil.which("git-lfs"):
        subprocess.run(["git", "lfs", "install", "--system", "--skip-repo"], check=True)
        for name, value in LFS_SETTINGS.items():
            subprocess.run(["git", "config", "--system", name, value], check=True)


def replace_entry(path: Path, entry: str) -> None:
    """Append an entry to passwd or group in place of the entries with the same name or id."""
    name, _, number = entry.split(":")[:3]
    lines = path.read_text().splitlines() if path.exists() else []
    others = [line for line in lines if line.split(":")[0] != name and line.split(":")[2:3] != [number]]
    path.write_text("\n".join([*others, entry]) + "\n")


if __name__ == "__main__":
    main()
