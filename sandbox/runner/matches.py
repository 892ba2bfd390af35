"""Parse the output of ripgrep, and verify it.

ripgrep opens files by name. If a directory is replaced by a link just before ripgrep opens a file in it, ripgrep reads
a file outside the searched directory. So a match is returned only if the same line is found through a descriptor that
was opened without following links.
"""

import os
import re
from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from .errors import Refusal
from .tree import open_exactly, require_regular

RECORD: Final = re.compile(rb"(\d+):(\d+):([^\n]*)\n")
"""The part of a record after the path and its zero byte: line number, byte offset of the line, text."""
NOTICES: Final = re.compile(
    rb"(?:[^\0]*?: (?:WARNING: stopped searching binary file after match|binary file matches) \(found .*?\)\n)+"
)
"""Lines that ripgrep prints between matches when it stops in a binary file."""
SHORTENED: Final = re.compile(rb" \[\.\.\. (?:omitted end of long line|\d+ more match(?:es)?)\]\Z")
"""The text that ripgrep appends to a line that it has cut."""
UTF8_MARK: Final = b"\xef\xbb\xbf"
UTF16_MARKS: Final = (b"\xff\xfe", b"\xfe\xff")
MAX_UTF16_BYTES: Final = 8 << 20
"""Matches beyond this size in a UTF-16 file cannot be verified, and are left out."""


class Match(NamedTuple):
    """One line that matches a search. `position` is its byte offset in the file as ripgrep reads it: as UTF-8, without
    a byte order mark."""

    path: str
    line: int
    position: int
    text: bytes


def parse_matches(output: bytes) -> Iterator[Match]:
    """Return the matches in `path NUL line : position : text` records.

    A path may contain any byte except NUL. A truncated last record is left out.
    """
    path, *pieces = output.split(b"\0")
    for piece in pieces:
        record = RECORD.match(piece)
        if record:
            name = os.fsdecode(path).removeprefix("./")
            yield Match(name, int(record[1]), int(record[2]), record[3])
        rest = piece[record.end() :] if record else piece.partition(b"\n")[2]
        notices = NOTICES.match(rest)
        path = rest[notices.end() :] if notices else rest


def verified_matches(directory_fd: int, matches: Iterable[Match]) -> Iterator[Match]:
    """Return the matches found again in a regular file below the directory, opened without following links.

    Call it as the tool user.
    """
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
    """Return a descriptor of the file, -1 if it cannot be opened or is not a regular file."""
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
    """Return whether the open file contains the match at its position."""
    text = SHORTENED.sub(b"", match.text)
    start = os.pread(fd, len(UTF8_MARK), 0)
    if start.startswith(UTF16_MARKS):
        content = os.pread(fd, MAX_UTF16_BYTES, 0).decode("utf-16", "replace").encode()
        return content.startswith(text, match.position)
    shift = len(UTF8_MARK) if start == UTF8_MARK else 0
    return os.pread(fd, len(text), match.position + shift) == text
