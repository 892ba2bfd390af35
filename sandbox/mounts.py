"""What is mounted on this machine, as the kernel lists it."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

MOUNTS: Final = Path("/proc/self/mountinfo")
ESCAPED: Final = re.compile(r"\\([0-7]{3})")


def mounts_below(*folders: Path) -> list[str]:
    """The deepest first, which is the order in which they can be unmounted."""
    beginnings = tuple(f"{folder}/" for folder in folders)
    return sorted((place for place in _places() if place.startswith(beginnings)), reverse=True)


def _places() -> Iterator[str]:
    for line in MOUNTS.read_text(errors="surrogateescape").splitlines():
        yield ESCAPED.sub(lambda code: chr(int(code.group(1), 8)), line.split(" ")[4])
