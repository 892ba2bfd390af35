"""A part of many lines, numbered, cut to what a model should read at once."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from tools_app.truncate import MAX_BYTES, byte_length

LONGEST_LINE: Final = 2000
CUT_MARK: Final = f"… (line cut at {LONGEST_LINE} characters)"


@dataclass(frozen=True, slots=True)
class Page:
    """`lines` as shown; `first` is the number of the first, `following` of the next one not shown (None: the end)."""

    lines: tuple[str, ...]
    first: int
    following: int | None


def page(lines: Sequence[str], *, offset: int, limit: int, numbered: bool, max_bytes: int = MAX_BYTES) -> Page:
    """The lines from number `offset` (from 1), at most `limit` of them and `max_bytes`, but never none."""
    shown: list[str] = []
    used = 0
    for number, line in enumerate(lines[offset - 1 : offset - 1 + limit], offset):
        text = line if len(line) <= LONGEST_LINE else line[:LONGEST_LINE] + CUT_MARK
        text = f"{number}: {text}" if numbered else text
        used += byte_length(text) + 1
        if shown and used > max_bytes:
            break
        shown.append(text)
    following = offset + len(shown)
    return Page(tuple(shown), offset, following if following <= len(lines) else None)
