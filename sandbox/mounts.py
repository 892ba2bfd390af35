"""The mount points of this machine, read from /proc/self/mountinfo."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

MOUNTINFO: Final = Path("/proc/self/mountinfo")
OCTAL_ESCAPE: Final = re.compile(r"\\([0-7]{3})")


def mounts_below(*folders: Path) -> list[str]:
    """Return the mount points below these directories, deepest first.

    They can be unmounted in this order.
    """
    prefixes = tuple(f"{folder}/" for folder in folders)
    return sorted((path for path in _mount_points() if path.startswith(prefixes)), reverse=True)


def _mount_points() -> Iterator[str]:
    """Yield every mount point, with the kernel's octal escapes decoded."""
    for line in MOUNTINFO.read_text(errors="surrogateescape").splitlines():
        yield OCTAL_ESCAPE.sub(lambda code: chr(int(code.group(1), 8)), line.split(" ")[4])
