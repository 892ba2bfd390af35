"""Files that hold an ext4 file system of a wished capacity. Sparse: they take what is in them, and little more.

Formatting costs more than all the rest, so it is done once for each capacity; the few blocks that it wrote (0.2 MB)
are remembered, and are all that a further image needs. A capacity that falls becomes a reserve that the tool user may
not touch: what is there stays, and nothing is added until it fits again.
"""

import os
import struct
import threading
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from sandbox.disk.loops import devices_of
from sandbox.disk.programs import run_program

PACKAGE: Final = "e2fsprogs"
BLOCK: Final = 4096
BLOCKS_PER_MIB: Final = (1 << 20) // BLOCK
INODE_SIZE: Final = 256
JOURNAL_MIB: Final = 8
"""Enough to be consistent after a crash. The usual 64 MiB and more would be written to the host time and again."""
KERNELS_SHARE: Final = 50
KERNELS_MOST: Final = 16
"""The kernel keeps 2 % of the blocks, at most 16 MiB, for its own bookkeeping."""
TOLERANCE: Final = 2 * BLOCKS_PER_MIB
SUPERBLOCK_AT: Final = 1024
SUPERBLOCK: Final = struct.Struct("<III 20x I 4x I 12x H")
"""Of struct ext4_super_block: inodes, blocks, reserved blocks, blocks in a group, inodes in a group, magic number."""
MAGIC: Final = 0xEF53
REMEMBERED: Final = 8
EXTENDED: Final = "lazy_itable_init=1,lazy_journal_init=1,nodiscard"


@dataclass(frozen=True, slots=True)
class Capacity:
    mib: int
    inodes: int

    def blocks(self, inodes: int | None = None) -> int:
        """What an image needs in all, so that `mib` are left when the file system has taken its own."""
        tables = (inodes or self.inodes) * INODE_SIZE // BLOCK
        without_kernels = tables + (self.mib + JOURNAL_MIB + 1) * BLOCKS_PER_MIB
        return without_kernels + kernels_blocks(without_kernels)

    def spare(self, blocks: int, inodes: int) -> int:
        """How many of an image's blocks are more than it needs."""
        wanted = self.blocks(inodes)
        return max(0, blocks - kernels_blocks(blocks) - wanted + kernels_blocks(wanted))


@dataclass(frozen=True, slots=True)
class Superblock:
    inodes: int
    blocks: int
    reserved: int
    group_blocks: int
    group_inodes: int

    @classmethod
    def read(cls, image: Path) -> "Superblock":
        with image.open("rb") as file:
            file.seek(SUPERBLOCK_AT)
            *numbers, magic = SUPERBLOCK.unpack(file.read(SUPERBLOCK.size))
        if magic != MAGIC:
            raise OSError(f"{image} holds no ext4 file system")
        return cls(*numbers)


def kernels_blocks(blocks: int) -> int:
    return min(KERNELS_MOST * BLOCKS_PER_MIB, blocks // KERNELS_SHARE)


Extents = Sequence[tuple[int, bytes]]
_blanks: OrderedDict[Capacity, Extents] = OrderedDict()
_remembering = threading.Lock()


def make_image(image: Path, capacity: Capacity) -> None:
    """A new one; not safe against being killed, so make it under another name and rename it."""
    image.unlink(missing_ok=True)
    with image.open("xb", buffering=0) as file:
        os.fchmod(file.fileno(), 0o600)
        os.truncate(file.fileno(), capacity.blocks() * BLOCK)
        if blank := _blanks.get(capacity):
            for offset, content in blank:
                os.pwrite(file.fileno(), content, offset)
            return
    _format(image, capacity)
    blank = list(_written(image))
    with _remembering:
        _blanks[capacity] = blank
        while len(_blanks) > REMEMBERED:
            _blanks.popitem(last=False)


def fit_image(image: Path, capacity: Capacity) -> None:
    """Make an existing image hold to this capacity. Nothing must be mounted from it.

    It grows until both numbers fit (inodes come with groups of blocks) and never shrinks; room beyond `mib` is
    reserved. More inodes than wished stay usable.
    """
    now = Superblock.read(image)
    if (blocks := _blocks_for(now, capacity)) > now.blocks:
        _grow(image, now, blocks)
        now = Superblock.read(image)
    if (reserve := _reserve_for(now, capacity)) != now.reserved:
        _reserve(image, reserve)


def is_fit(image: Path, capacity: Capacity) -> bool:
    """Whether `fit_image` would change nothing."""
    now = Superblock.read(image)
    return _blocks_for(now, capacity) == now.blocks and _reserve_for(now, capacity) == now.reserved


def _blocks_for(now: Superblock, capacity: Capacity) -> int:
    groups = -(-capacity.inodes // now.group_inodes)
    blocks_for_inodes = groups * now.group_blocks if now.inodes < capacity.inodes else 0
    blocks = max(capacity.blocks(max(now.inodes, capacity.inodes)), blocks_for_inodes)
    return blocks if blocks - now.blocks > TOLERANCE else now.blocks


def _reserve_for(now: Superblock, capacity: Capacity) -> int:
    spare = capacity.spare(now.blocks, now.inodes)
    return spare if spare > TOLERANCE else 0


def check_image(image: Path) -> None:
    """Repair what a crash left. Status 1 means that something was repaired, so it is asked twice."""
    if not devices_of(image):
        run_program("sh", "-c", 'e2fsck -fy "$0" || e2fsck -fy "$0"', str(image), package=PACKAGE)


def _written(image: Path) -> Iterator[tuple[int, bytes]]:
    """What is in the file beside holes."""
    with image.open("rb") as file:
        size, end = os.fstat(file.fileno()).st_size, 0
        while end < size:
            try:
                start = os.lseek(file.fileno(), end, os.SEEK_DATA)
            except OSError:  # nothing but a hole is left
                return
            end = os.lseek(file.fileno(), start, os.SEEK_HOLE)
            yield start, os.pread(file.fileno(), end - start, start)


def _format(image: Path, capacity: Capacity) -> None:
    inodes = str(capacity.inodes)
    size = ("-b", str(BLOCK), "-I", str(INODE_SIZE), "-N", inodes, "-m", "0", "-J", f"size={JOURNAL_MIB}")
    run_program("mkfs.ext4", "-q", "-F", *size, "-E", EXTENDED, str(image), package=PACKAGE)


def _grow(image: Path, now: Superblock, blocks: int) -> None:
    if now.reserved:
        _reserve(image, 0)
    os.truncate(image, blocks * BLOCK)
    check_image(image)
    run_program("resize2fs", "-f", str(image), package=PACKAGE)


def _reserve(image: Path, blocks: int) -> None:
    """tune2fs refuses more than half of the file system, and a limit may fall further."""
    run_program("debugfs", "-w", "-R", f"set_super_value r_blocks_count {blocks}", str(image), package=PACKAGE)
