"""Compare two short texts by lines inside the runner, in a bounded number of steps.

A process of diff(1) takes about two milliseconds, which is too long for a list of a thousand changed files. Most of
them differ in a few lines: Myers' greedy algorithm finds these at once. It gives up after `MAX_DIFFERENCES`, so that
hostile text cannot make it slow; such files are left to diff(1).
"""

from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import Final, NamedTuple

MAX_DIFFERENCES: Final = 200  # lines deleted and added
CONTEXT: Final = 3  # unchanged lines around each change
NO_NEWLINE: Final = b"\n\\ No newline at end of file\n"


class Change(NamedTuple):
    """Lines `old_start:old_end` of the old text are replaced by lines `new_start:new_end` of the new text."""

    old_start: int
    old_end: int
    new_start: int
    new_end: int


def exact_line(line: bytes) -> Hashable:
    return line


def without_spaces(line: bytes) -> Hashable:
    """Return the line without white space, as the key for comparing lines when white space is ignored."""
    return b"".join(line.split())


def lines_of(content: bytes) -> list[bytes]:
    """Return the lines of a text, with their line ends. Only a line feed ends a line, as in diff(1)."""
    *whole, last = content.split(b"\n")
    return [line + b"\n" for line in whole] + ([last] if last else [])


def find_changes(
    old: Sequence[bytes], new: Sequence[bytes], key: Callable[[bytes], Hashable] = exact_line
) -> list[Change] | None:
    """Return the changes from one list of lines to another, in order. None if there are too many."""
    first, second = (lines if key is exact_line else list(map(key, lines)) for lines in (old, new))
    start = _common(first, second)
    end = min(_common(first[::-1], second[::-1]), min(len(first), len(second)) - start)
    a, b = first[start : len(first) - end], second[start : len(second) - end]
    if not a and not b:
        return []
    if not a or not b or (len(a) + len(b) <= MAX_DIFFERENCES and set(a).isdisjoint(b)):
        return [Change(start, start + len(a), start, start + len(b))]
    numbers: dict[Hashable, int] = {}
    steps = _shortest_edits(*([numbers.setdefault(line, len(numbers)) for line in lines] for lines in (a, b)))
    return None if steps is None else list(_grouped(steps, start))


def _common(first: Sequence[Hashable], second: Sequence[Hashable]) -> int:
    """Return how many elements two lists have in common at their beginning."""
    for at, (one, other) in enumerate(zip(first, second, strict=False)):
        if one != other:
            return at
    return min(len(first), len(second))


def _shortest_edits(a: Sequence[int], b: Sequence[int]) -> list[tuple[int, int, int]] | None:
    """Return the single edits as (position in a, position in b, 1 to delete or -1 to insert), in order."""
    reached = {1: 0}
    trace: list[dict[int, int]] = []
    for cost in range(min(len(a) + len(b), MAX_DIFFERENCES) + 1):
        trace.append(reached.copy())
        for diagonal in range(-cost, cost + 1, 2):
            down = diagonal == -cost or (diagonal != cost and reached[diagonal - 1] < reached[diagonal + 1])
            x = reached[diagonal + 1] if down else reached[diagonal - 1] + 1
            while x < len(a) and x - diagonal < len(b) and a[x] == b[x - diagonal]:
                x += 1
            reached[diagonal] = x
            if x >= len(a) and x - diagonal >= len(b):
                return _traced(trace, diagonal, cost)
    return None


def _traced(trace: list[dict[int, int]], diagonal: int, cost: int) -> list[tuple[int, int, int]]:
    steps: list[tuple[int, int, int]] = []
    for step in range(cost, 0, -1):
        reached = trace[step]
        down = diagonal == -step or (diagonal != step and reached[diagonal - 1] < reached[diagonal + 1])
        diagonal += 1 if down else -1
        x = reached[diagonal]
        steps.append((x, x - diagonal, -1 if down else 1))
    return steps[::-1]


def _grouped(steps: list[tuple[int, int, int]], offset: int) -> Iterator[Change]:
    """Yield adjacent edits as one change."""
    change: Change | None = None
    for x, y, kind in steps:
        place = (x + offset, y + offset)
        if change is None or place != (change.old_end, change.new_end):
            if change:
                yield change
            change = Change(place[0], place[0], place[1], place[1])
        change = change._replace(old_end=change.old_end + (kind > 0), new_end=change.new_end + (kind < 0))
    if change:
        yield change


def unified(old: Sequence[bytes], new: Sequence[bytes], changes: list[Change], labels: Sequence[str]) -> bytes:
    """Return the changes as a unified diff. The lines keep their line ends."""
    pieces = [f"--- {labels[0]}\n+++ {labels[1]}\n".encode("utf-8", "surrogateescape")]
    for hunk in _hunks(changes):
        first, last = hunk[0], hunk[-1]
        before = min(CONTEXT, first.old_start, first.new_start)
        after = min(CONTEXT, len(old) - last.old_end, len(new) - last.new_end)
        old_range = _range(first.old_start - before, last.old_end + after)
        new_range = _range(first.new_start - before, last.new_end + after)
        pieces.append(f"@@ -{old_range} +{new_range} @@\n".encode())
        at = first.new_start - before
        for change in hunk:
            pieces += [_line(b" ", line) for line in new[at : change.new_start]]
            pieces += [_line(b"-", line) for line in old[change.old_start : change.old_end]]
            pieces += [_line(b"+", line) for line in new[change.new_start : change.new_end]]
            at = change.new_end
        pieces += [_line(b" ", line) for line in new[at : at + after]]
    return b"".join(pieces)


def _hunks(changes: list[Change]) -> list[list[Change]]:
    hunks: list[list[Change]] = []
    for change in changes:
        if hunks and change.old_start - hunks[-1][-1].old_end <= 2 * CONTEXT:
            hunks[-1].append(change)
        else:
            hunks.append([change])
    return hunks


def _range(start: int, end: int) -> str:
    length = end - start
    first = start + 1 if length else start
    return f"{first}" if length == 1 else f"{first},{length}"


def _line(sign: bytes, line: bytes) -> bytes:
    return sign + line if line.endswith(b"\n") else sign + line + NO_NEWLINE
