"""Undo single hunks of a unified diff in a text."""

import re
from collections.abc import Collection
from typing import Final, NamedTuple

HEADER: Final = re.compile(rb"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
NO_NEWLINE: Final = b"\\"


class Hunk(NamedTuple):
    """One hunk: where its new lines begin (from 0), and its old and new lines."""

    start: int
    old: list[bytes]
    new: list[bytes]


def read_hunks(patch: bytes) -> list[Hunk]:
    """Return the hunks of a unified diff of one file."""
    hunks: list[Hunk] = []
    last = b" "
    for line in patch.split(b"\n")[2:]:
        if found := HEADER.match(line):
            count = int(found[4]) if found[4] is not None else 1
            hunks.append(Hunk(int(found[3]) - (count > 0), [], []))
        elif not hunks or not line:
            continue
        elif line.startswith(NO_NEWLINE):
            for lines in _touched(hunks[-1], last):
                lines[-1] = lines[-1].removesuffix(b"\n")
        else:
            last = line[:1]
            for lines in _touched(hunks[-1], last):
                lines.append(line[1:] + b"\n")
    return hunks


def _touched(hunk: Hunk, sign: bytes) -> list[list[bytes]]:
    return {b"-": [hunk.old], b"+": [hunk.new]}.get(sign, [hunk.old, hunk.new])


def without_hunks(content: bytes, patch: bytes, numbers: Collection[int]) -> bytes | None:
    """Return `content` with some hunks of `patch` undone. `numbers` are the hunks, numbered from 0.

    None if `numbers` is empty or has an unknown hunk, or if `content` is not the result of `patch`.
    """
    hunks = read_hunks(patch)
    lines = content.split(b"\n")
    lines = [line + b"\n" for line in lines[:-1]] + ([lines[-1]] if lines[-1] else [])
    if not numbers or not set(numbers) <= set(range(len(hunks))):
        return None
    for number in sorted(numbers, reverse=True):
        hunk = hunks[number]
        end = hunk.start + len(hunk.new)
        if lines[hunk.start : end] != hunk.new:
            return None
        lines[hunk.start : end] = hunk.old
    return b"".join(lines)
