"""Create and resize image files with an ext4 file system. They are sparse: they take little more than their contents.

Formatting is by far the slowest step, so it runs once per capacity: the few blocks that it writes (0.2 MB) are cached
in memory and copied into other images. If a capacity is lowered, the excess becomes reserved blocks that the tool user
cannot use: existing files stay, and nothing can be added until they fit again.
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
BLOCK_SIZE: Final = 4096  # bytes
BLOCKS_PER_MIB: Final = (1 << 20) // BLOCK_SIZE
INODE_SIZE: Final = 256  # bytes
JOURNAL_MIB: Final = 8
"""Enough to be consistent after a crash. The default of 64 MiB and more would be rewritten on the host all the time."""
KERNEL_RESERVE_DIVISOR: Final = 50
KERNEL_RESERVE_MAX_MIB: Final = 16
"""The kernel reserves 2 % of the blocks, at most 16 MiB, for its own use."""
TOLERANCE_BLOCKS: Final = 2 * BLOCKS_PER_MIB  # smaller differences are not adjusted
SUPERBLOCK_OFFSET: Final = 1024  # bytes
SUPERBLOCK: Final = struct.Struct("<III 20x I 4x I 12x H")
"""Fields of struct ext4_super_block: inodes, blocks, reserved blocks, blocks per group, inodes per group, magic."""
MAGIC: Final = 0xEF53
MAX_CACHED_BLANKS: Final = 8  # capacities
EXTENDED_OPTIONS: Final = "lazy_itable_init=1,lazy_journal_init=1,nodiscard"


@dataclass(frozen=True, slots=True)
class Capacity:
    """The usable size of an image: mebibytes for file contents, and inodes."""

    mib: int
    inodes: int

    def blocks(self, inodes: int | None = None) -> int:
        """Return the number of blocks that an image needs for `mib` of contents and its file system's structures."""
        tables = (inodes or self.inodes) * INODE_SIZE // BLOCK_SIZE
        without_reserve = tables + (self.mib + JOURNAL_MIB + 1) * BLOCKS_PER_MIB
        return without_reserve + kernel_reserve_blocks(without_reserve)

    def spare(self, blocks: int, inodes: int) -> int:
        """Return the number of blocks by which an image with `blocks` blocks and `inodes` inodes exceeds this
        capacity."""
        wanted = self.blocks(inodes)
        return max(0, blocks - kernel_reserve_blocks(blocks) - wanted + kernel_reserve_blocks(wanted))


@dataclass(frozen=True, slots=True)
class Superblock:
    """The fields of an ext4 superblock that this module needs. `reserved` and `group_blocks` are counted in blocks."""

    inodes: int
    blocks: int
    reserved: int
    group_blocks: int
    group_inodes: int

    @classmethod
    def read(cls, image: Path) -> "Superblock":
        with image.open("rb") as file:
            file.seek(SUPERBLOCK_OFFSET)
            *numbers, magic = SUPERBLOCK.unpack(file.read(SUPERBLOCK.size))
        if magic != MAGIC:
            raise OSError(f"{image} does not contain an ext4 file system")
        return cls(*numbers)


def kernel_reserve_blocks(blocks: int) -> int:
    """Return the number of blocks that the kernel reserves in a file system with `blocks` blocks."""
    return min(KERNEL_RESERVE_MAX_MIB * BLOCKS_PER_MIB, blocks // KERNEL_RESERVE_DIVISOR)


Extents = Sequence[tuple[int, bytes]]
_blanks: OrderedDict[Capacity, Extents] = OrderedDict()  # contents of freshly formatted images
_blanks_lock = threading.Lock()


def make_image(image: Path, capacity: Capacity) -> None:
    """Create an image file with an ext4 file system.

    If the process is killed while it runs, an incomplete file remains, so create the image under a temporary name and
    rename it.
    """
    image.unlink(missing_ok=True)
    with image.open("xb", buffering=0) as file:
        os.fchmod(file.fileno(), 0o600)
        os.truncate(file.fileno(), capacity.blocks() * BLOCK_SIZE)
        if blank := _blanks.get(capacity):
            for offset, content in blank:
                os.pwrite(file.fileno(), content, offset)
            return
    _format(image, capacity)
    blank = list(_data_extents(image))
    with _blanks_lock:
        _blanks[capacity] = blank
        while len(_blanks) > MAX_CACHED_BLANKS:
            _blanks.popitem(last=False)


def fit_image(image: Path, capacity: Capacity) -> None:
    """Adjust an existing image to this capacity. It must not be mounted.

    The image grows until space and inodes suffice (inodes come with groups of blocks) and never shrinks. Space beyond
    `mib` is reserved. Inodes beyond the capacity remain usable.
    """
    now = Superblock.read(image)
    if (blocks := _blocks_for(now, capacity)) > now.blocks:
        _grow(image, now, blocks)
        now = Superblock.read(image)
    if (reserve := _reserve_for(now, capacity)) != now.reserved:
        _reserve(image, reserve)


def is_fit(image: Path, capacity: Capacity) -> bool:
    """Return whether `fit_image` would change nothing."""
    now = Superblock.read(image)
    return _blocks_for(now, capacity) == now.blocks and _reserve_for(now, capacity) == now.reserved


def _blocks_for(now: Superblock, capacity: Capacity) -> int:
    groups = -(-capacity.inodes // now.group_inodes)
    blocks_for_inodes = groups * now.group_blocks if now.inodes < capacity.inodes else 0
    blocks = max(capacity.blocks(max(now.inodes, capacity.inodes)), blocks_for_inodes)
    return blocks if blocks - now.blocks > TOLERANCE_BLOCKS else now.blocks


def _reserve_for(now: Superblock, capacity: Capacity) -> int:
    spare = capacity.spare(now.blocks, now.inodes)
    return spare if spare > TOLERANCE_BLOCKS else 0


def check_image(image: Path) -> None:
    """Check the file system of an image and repair it if a crash has damaged it. Does nothing to an attached image.

    e2fsck exits with 1 after a repair, so it runs a second time to confirm that the file system is clean.
    """
    if not devices_of(image):
        run_program("sh", "-c", 'e2fsck -fy "$0" || e2fsck -fy "$0"', str(image), package=PACKAGE)


def _data_extents(image: Path) -> Iterator[tuple[int, bytes]]:
    """Yield offset and content of each part of the file that is not a hole."""
    with image.open("rb") as file:
        size, end = os.fstat(file.fileno()).st_size, 0
        while end < size:
            try:
                start = os.lseek(file.fileno(), end, os.SEEK_DATA)
            except OSError:  # only a hole is left
                return
            end = os.lseek(file.fileno(), start, os.SEEK_HOLE)
            yield start, os.pread(file.fileno(), end - start, start)


def _format(image: Path, capacity: Capacity) -> None:
    inodes = str(capacity.inodes)
    size = ("-b", str(BLOCK_SIZE), "-I", str(INODE_SIZE), "-N", inodes, "-m", "0", "-J", f"size={JOURNAL_MIB}")
    run_program("mkfs.ext4", "-q", "-F", *size, "-E", EXTENDED_OPTIONS, str(image), package=PACKAGE)


def _grow(image: Path, now: Superblock, blocks: int) -> None:
    if now.reserved:
        _reserve(image, 0)
    os.truncate(image, blocks * BLOCK_SIZE)
    check_image(image)
    run_program("resize2fs", "-f", str(image), package=PACKAGE)


def _reserve(image: Path, blocks: int) -> None:
    """Set the reserved blocks with debugfs, because tune2fs refuses to reserve more than half of the file system."""
    run_program("debugfs", "-w", "-R", f"set_super_value r_blocks_count {blocks}", str(image), package=PACKAGE)
