"""Unified diffs of two texts, fast for the usual case of a small change in a large file."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Final

from tools_app.truncation import truncate

CONTEXT_LINES: Final = 3
MAX_COMPARED_LINES: Final = 4000  # of both texts together, without equal lines at both ends
MAX_DIFF_BYTES: Final = 131_072

Opcode = tuple[str, int, int, int, int]


@dataclass(frozen=True, slots=True)
class TextDiff:
    """A unified diff with the numbers of added and deleted lines.

    A long diff is truncated after a whole line, and its last line says how much is missing. The numbers always count
    the lines of the whole diff.
    """

    diff: str
    additions: int
    deletions: int


def unified_diff(before: str | None, after: str | None, *, path: str, moved_to: str | None = None) -> TextDiff:
    """Return the diff from `before` to `after`; None means that the file does not exist.

    `moved_to` is the new path of a file that is moved.
    """
    old, new = _lines(before or ""), _lines(after or "")
    opcodes = _opcodes(old, new)
    if not opcodes:
        return TextDiff("", 0, 0)
    body = [line for group in _grouped(opcodes) for line in _hunk(group, old, new)]
    source = "/dev/null" if before is None else f"a/{path}"
    target = "/dev/null" if after is None else f"b/{moved_to or path}"
    text = f"--- {source}\n+++ {target}\n" + "".join(body)
    deletions = sum(old_end - old_start for _, old_start, old_end, _, _ in opcodes)
    additions = sum(new_end - new_start for _, _, _, new_start, new_end in opcodes)
    return TextDiff(_bounded(text), additions, deletions)


def _lines(text: str) -> list[str]:
    lines = text.split("\n")
    last = lines.pop()
    return [f"{line}\n" for line in lines] + ([last] if last else [])


def _opcodes(old: Sequence[str], new: Sequence[str]) -> list[Opcode]:
    """Return the difflib opcodes of the lines that differ.

    Equal lines at both ends are removed first. If too many lines remain, they are all treated as replaced.
    """
    start = _common(old, new)
    end = _common(old[start:][::-1], new[start:][::-1])
    old_middle, new_middle = old[start : len(old) - end], new[start : len(new) - end]
    if len(old_middle) + len(new_middle) > MAX_COMPARED_LINES:
        return [("replace", start, len(old) - end, start, len(new) - end)]
    matcher = SequenceMatcher(None, old_middle, new_middle)
    changes = (opcode for opcode in matcher.get_opcodes() if opcode[0] != "equal")
    return [(tag, a + start, b + start, c + start, d + start) for tag, a, b, c, d in changes]


def _common(one: Sequence[str], other: Sequence[str]) -> int:
    for index, (left, right) in enumerate(zip(one, other, strict=False)):
        if left != right:
            return index
    return min(len(one), len(other))


def _grouped(opcodes: Sequence[Opcode]) -> Iterator[list[Opcode]]:
    """Group changes into hunks: changes whose context lines would overlap or touch are in the same hunk."""
    group: list[Opcode] = []
    for opcode in opcodes:
        if group and opcode[1] - group[-1][2] > 2 * CONTEXT_LINES:
            yield group
            group = []
        group.append(opcode)
    yield group


def _hunk(group: Sequence[Opcode], old: Sequence[str], new: Sequence[str]) -> Iterator[str]:
    before = min(CONTEXT_LINES, group[0][1])
    after = min(CONTEXT_LINES, len(old) - group[-1][2])
    old_start, old_end = group[0][1] - before, group[-1][2] + after
    new_start, new_end = group[0][3] - before, group[-1][4] + after
    yield f"@@ -{_range(old_start, old_end)} +{_range(new_start, new_end)} @@\n"
    position = old_start
    for _, old_from, old_to, new_from, new_to in group:
        yield from _marked(" ", old[position:old_from])
        yield from _marked("-", old[old_from:old_to])
        yield from _marked("+", new[new_from:new_to])
        position = old_to
    yield from _marked(" ", old[position:old_end])


def _marked(mark: str, lines: Sequence[str]) -> Iterator[str]:
    for line in lines:
        yield f"{mark}{line}" if line.endswith("\n") else f"{mark}{line}\n\\ No newline at end of file\n"


def _range(start: int, end: int) -> str:
    length = end - start
    first = start + 1 if length else start
    return f"{first}" if length == 1 else f"{first},{length}"


def _bounded(diff: str) -> str:
    cut = truncate(diff, max_lines=len(diff), max_bytes=MAX_DIFF_BYTES)
    if not cut.truncated:
        return diff
    missing = len(diff.encode("utf-8", "surrogatepass")) - len(cut.text.encode("utf-8", "surrogatepass"))
    return f"{cut.text}\n\\ {missing:,} bytes of this diff are not shown.\n"
