"""The files in which processes store their metrics. The files are written, not memory-mapped.

prometheus_client maps its files into memory. If the file system is full, storing a value in a mapped page can end the
process with SIGBUS, which no code can handle: a full disk would end every process that counts something. A write fails
with an error instead. The numbers are then complete in memory only, and are written as soon as there is room again.
"""

import os
from contextlib import suppress
from typing import Any, Final

from prometheus_client import values
from prometheus_client.mmap_dict import MmapedDict

HEADER_SIZE: Final = 8  # bytes: the number of bytes in use, and padding
FILE_SIZE: Final = 1 << 16
"""Size of a new file in bytes, which are not allocated on the disk. A reader needs at least a header, even if no number
could be written."""


class WrittenDict(MmapedDict):
    """A dict of floats that is kept in memory and written to a file, in the format of prometheus_client."""

    def __init__(self, filename: str, read_mode: bool = False) -> None:
        self._filename = filename
        self._is_closed = False
        self._fd = _open(filename)
        self._m: Any = _read(self._fd)
        self._capacity = len(self._m)
        self._used = max(HEADER_SIZE, int.from_bytes(self._m[:4], "little"))
        self._is_behind = False
        entries = self._read_all_values()  # type: ignore[no-untyped-call]
        self._positions = {key: position for key, _, _, position in entries}
        self._save(HEADER_SIZE, HEADER_SIZE)

    def _init_value(self, key: str) -> None:
        encoded = key.encode()
        padded = encoded + b" " * (8 - (len(encoded) + 4) % 8)
        begin, self._used = self._used, self._used + 4 + len(padded) + 16
        self._m += bytes(max(0, self._used - len(self._m)))
        self._m[begin : self._used] = len(encoded).to_bytes(4, "little") + padded + bytes(16)
        self._positions[key] = self._used - 16
        self._save(begin, self._used)

    def write_value(self, key: str, value: float, timestamp: float) -> None:
        super().write_value(key, value, timestamp)  # type: ignore[no-untyped-call]
        position = self._positions[key]
        self._save(position, position + 16)

    def close(self) -> None:
        if self._fd >= 0:
            os.close(self._fd)
        self._fd, self._is_closed = -1, True

    def _save(self, begin: int, end: int) -> None:
        """Write a part of the content, and the number of bytes in use, to the file.

        If an earlier write failed, the whole content is written.
        """
        if self._is_closed:
            return
        if self._fd < 0:
            self._fd, self._is_behind = _open(self._filename), True
        if self._is_behind:
            begin, end = HEADER_SIZE, self._used
        try:
            _write(self._fd, self._m[begin:end], begin)
            _write(self._fd, self._used.to_bytes(HEADER_SIZE, "little"), 0)
            self._is_behind = False
        except OSError:
            self._is_behind = True


def use_written_files() -> None:
    """Make prometheus_client store metrics in a `WrittenDict`. Call it before the first metric is created.

    The library chooses between files and memory when it is imported; this function works after the import, too.
    """
    values.MmapedDict = WrittenDict  # type: ignore[attr-defined]
    values.ValueClass = values.MultiProcessValue()  # type: ignore[no-untyped-call]


def _open(filename: str) -> int:
    """Open or create a file of metrics, and return its descriptor; -1 if that is impossible, for example because the
    disk is full."""
    fd = -1
    with suppress(OSError):
        fd = os.open(filename, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        if os.fstat(fd).st_size < FILE_SIZE:
            os.truncate(fd, FILE_SIZE)
    return fd


def _read(fd: int) -> bytearray:
    if fd < 0:
        return bytearray(FILE_SIZE)
    return bytearray(os.pread(fd, os.fstat(fd).st_size, 0))


def _write(fd: int, content: bytes, position: int) -> None:
    while content:
        written = os.pwrite(fd, content, position)
        content, position = content[written:], position + written
