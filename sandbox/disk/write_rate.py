"""Limit the rate at which a workspace writes to its disk.

Kernel threads write the data of commands to the disk later. These threads belong to no container, so no limit of a
container applies to them: a command that filled its disk repeatedly at 900 MB/s took half of two processors and doubled
the p95 of short commands in other workspaces. Each workspace's device therefore has a rate limit, and only little data
may wait to be written, so that the writing command itself has to wait.

Only version 1 of control groups can limit a device independently of the writer. With version 2, no limit is set.
"""

import contextlib
from pathlib import Path
from typing import Final

WORKSPACE_RATE: Final = 64 << 20
"""Bytes per second for each workspace. Installing packages writes less than this, because the files are small."""
MAX_DIRTY_BYTES: Final = 64 << 20
"""Bytes that may wait to be written; a command that writes more has to wait."""
UNLIMITED: Final = 0
CONTROL_GROUPS: Final = Path("/sys/fs/cgroup")
SYS_BLOCK: Final = Path("/sys/block")
THROTTLE: Final = "blkio/blkio.throttle.write_bps_device"


def set_write_rate(device: str, rate: int, *, groups: Path = CONTROL_GROUPS, blocks: Path = SYS_BLOCK) -> None:
    """Limit writes to this block device to `rate` bytes a second; UNLIMITED removes the limit.

    A loop device keeps its old limit when it is reused, so set it for every new use.
    """
    block = blocks / Path(device).name
    with contextlib.suppress(OSError):
        number = (block / "dev").read_text().strip()
        with (groups / THROTTLE).open("r+") as throttle:
            throttle.write(f"{number} {rate}\n")
        (block / "bdi" / "strict_limit").write_text("1" if rate else "0")
        if rate:
            (block / "bdi" / "max_bytes").write_text(str(MAX_DIRTY_BYTES))
        else:
            (block / "bdi" / "max_ratio").write_text("100")
