"""How fast a workspace may write for long.

What a command writes is written out later by threads of the kernel, which belong to no container and give way to
nobody: one that fills its disk over and over at 900 MB/s took half of two processors, and doubled the p95 of its
neighbours' short commands. So each workspace's device has a rate of its own, and little of it may wait to be written
out, so that it is the writer who waits.

Only version 1 of control groups can bound a device without bounding who writes; elsewhere nothing is set.
"""

import contextlib
from pathlib import Path
from typing import Final

RATE: Final = 64 << 20
"""Bytes a second. An install of packages writes less: it makes many small files."""
WAITING: Final = 64 << 20
"""Bytes that are written before anybody waits."""
UNBOUND: Final = 0
CONTROL_GROUPS: Final = Path("/sys/fs/cgroup")
SYS_BLOCK: Final = Path("/sys/block")
THROTTLE: Final = "blkio/blkio.throttle.write_bps_device"


def bound(device: str, rate: int, *, groups: Path = CONTROL_GROUPS, blocks: Path = SYS_BLOCK) -> None:
    """Bytes a second for this block device from now on; a device that is used again keeps what it had before."""
    block = blocks / Path(device).name
    with contextlib.suppress(OSError):
        number = (block / "dev").read_text().strip()
        with (groups / THROTTLE).open("r+") as throttle:
            throttle.write(f"{number} {rate}\n")
        (block / "bdi" / "strict_limit").write_text("1" if rate else "0")
        if rate:
            (block / "bdi" / "max_bytes").write_text(str(WAITING))
        else:
            (block / "bdi" / "max_ratio").write_text("100")
