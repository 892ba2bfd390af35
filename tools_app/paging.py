"""Select a page of lines, optionally numbered, within the limits for one tool output."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from tools_app.text import byte_length
from tools_app.truncation import MAX_BYTES

MAX_LINE_CHARACTERS: Final = 2000
CUT_MARK: Final = f"… (line cut at {MAX_LINE_CHARACTERS} characters)"


@dataclass(frozen=True, slots=True)
class Page:
    """A page of lines. Line numbers count from 1."""

    lines: tuple[str, ...]
    """The lines as they are shown."""
    first: int
    """The number of the first line."""
    following: int | None
    """The number of the first line after the page; None at the end."""


def page(lines: Sequence[str], *, offset: int, limit: int, numbered: bool, max_bytes: int = MAX_BYTES) -> Page:
    """Return the lines from number `offset` (from 1): at most `limit` lines and `max_bytes`, but at least one line."""
    shown: list[str] = []
    used = 0
    for number, line in enumerate(lines[offset - 1 : offset - 1 + limit], offset):
        text = line if len(line) <= MAX_LINE_CHARACTERS else line[:MAX_LINE_CHARACTERS] + CUT_MARK
        text = f"{number}: {text}" if numbered else text
        used += byte_length(text) + 1
        if shown and used > max_bytes:
            break
        shown.append(text)
    following = offset + len(shown)
    return Page(tuple(shown), offset, following if following <= len(lines) else None)
