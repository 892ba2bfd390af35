"""Processes of the machine, looked at from outside."""

from pathlib import Path


def is_alive(pid: int) -> bool:
    """False also for one that has ended and is still to be waited for."""
    stat = Path(f"/proc/{pid}/stat")
    return stat.exists() and stat.read_text().rpartition(")")[2].split()[0] != "Z"
