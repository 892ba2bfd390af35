"""Checks of processes on this machine."""

from pathlib import Path


def is_alive(pid: int) -> bool:
    """Return whether a process runs. A zombie does not."""
    stat = Path(f"/proc/{pid}/stat")
    return stat.exists() and stat.read_text().rpartition(")")[2].split()[0] != "Z"
