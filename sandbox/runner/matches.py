"""What ripgrep printed, and whether it is true.

ripgrep opens files by name. A directory that is swapped for a link between its looking and its opening leads it out
of the place that it searches, so no line is passed on before a descriptor that was opened without following links
was found to hold it too.
"""

import os
import re
from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from .errors import Refusal
from .tree import open_exactly, require_regular

RECORD: Final = re.compile(rb"(\d+):(\d+):([^\n]*)\n")
"""After the zero byte that ends a path: line, position of its first byte, text."""
NOTICES: Final = re.compile(
    rb"(?:[^\0]*?: (?:WARNING: stopped searching binary file after match|binary file matches) \(found .*?\)\n)+"
)
SHORTENED: Final = re.compile(rb" \[\.\.\. (?:omitted end of long line|\d+ more match(?:es)?)\]\Z")
UTF8_MARK: Final = b"\xef\xbb\xbf"
UTF16_MARKS: Final = (b"\xff\xfe", b"\xfe\xff")
DECODED_BELOW: Final = 8 << 20
"""Larger files in UTF-16 are not looked into a second time, and their lines not shown."""


class Match(NamedTuple):
    """`position` is where the line starts in the file as ripgrep reads it: as UTF-8, without a byte order mark."""

    path: str
    line: int
    position: int
    text: bytes


def parse_matches(output: bytes) -> Iterator[Match]:
    """Of `path NUL line : position : text` records, whose paths may hold anything but NUL. A last one that was cut
    off is left out."""
    path, *pieces = output.split(b"\0")
    for piece in pieces:
        record = RECORD.match(piece)
        if record:
            name = os.fsdecode(path).removeprefix("./")
            yield Match(name, int(record[1]), int(record[2]), record[3])
        rest = piece[record.end() :] if record else piece.partition(b"\n")[2]
        notices = NOTICES.match(rest)
        path = rest[notices.end() :] if notices else rest


def true_matches(directory_fd: int, matches: Iterable[Match]) -> Iterator[Match]:
    """Those that stand in a regular file below the directory, reached without following a link. As the tool user."""
    opened, fd = None, -1
    try:
        for match in matches:
            if match.path != opened:
                if fd >= 0:
                    os.close(fd)
                opened, fd = match.path, _open_regular(directory_fd, match.path)
            if fd >= 0 and _holds(fd, match):
                yield match
    finally:
        if fd >= 0:
            os.close(fd)


def _open_regular(directory_fd: int, path: str) -> int:
    """-1 for what cannot be opened as one."""
    try:
        fd = open_exactly(directory_fd, path, os.O_RDONLY | os.O_NOFOLLOW)
    except OSError:
        return -1
    try:
        require_regular(fd, path)
    except Refusal:
        os.close(fd)
        return -1
    return fd


def _holds(fd: int, match: Match) -> bool:
    text = SHORTENED.sub(b"", match.text)
    start = os.pread(fd, len(UTF8_MARK), 0)
    if start.startswith(UTF16_MARKS):
        content = os.pread(fd, DECODED_BELOW, 0).decode("utf-16", "replace").encode()
        return content.startswith(text, match.position)
    shift = len(UTF8_MARK) if start == UTF8_MARK else 0
    return os.pread(fd, len(text), match.position + shift) == text
