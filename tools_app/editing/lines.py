"""Split a text into lines with their offsets, and detect and convert line breaks (LF and CRLF)."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

_BREAK: Final = re.compile(r"\r?\n")


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a text. Offsets count characters from the beginning of the text."""

    text: str
    """The line without its line break."""
    start: int
    end: int
    """Offset of the end of `text`, before the line break."""
    after: int
    """Offset after the line break."""


@dataclass(frozen=True, slots=True)
class Span:
    """A part of a text: character offsets of its start and its end (exclusive)."""

    start: int
    end: int


class LinedText(str):
    """A string that caches its lines, for texts that are searched several times."""

    __slots__ = ("_lines",)

    @property
    def lines(self) -> list[Line]:
        if not hasattr(self, "_lines"):
            self._lines = _split_lines(self)
        return self._lines


def lines_of(text: str) -> list[Line]:
    """Return all lines of a text. A final line break does not start another line."""
    return text.lines if isinstance(text, LinedText) else _split_lines(text)


def _split_lines(text: str) -> list[Line]:
    lines: list[Line] = []
    start = 0
    for found in _BREAK.finditer(text):
        lines.append(Line(text[start : found.start()], start, found.start(), found.end()))
        start = found.end()
    if start < len(text):
        lines.append(Line(text[start:], start, len(text), len(text)))
    return lines


def span_of(lines: Sequence[Line], *, with_break: bool) -> Span:
    return Span(lines[0].start, lines[-1].after if with_break else lines[-1].end)


def windows(lines: Sequence[Line], size: int, *, first: str) -> Iterator[Sequence[Line]]:
    """Yield each run of `size` consecutive lines whose first line is `first`, ignoring whitespace around it."""
    for start in range(len(lines) - size + 1):
        if lines[start].text.strip() == first:
            yield lines[start : start + size]


def ends_with_break(text: str) -> bool:
    return text.endswith("\n")


def dominant_break(text: str) -> str | None:
    r"""Return "\r\n" if the text has any CRLF, "\n" if it only has LF, None if it has no line break."""
    if "\r\n" in text:
        return "\r\n"
    return "\n" if "\n" in text else None


def usual_break(text: str) -> str | None:
    """Return the line break that most lines of the text have; None if it has no line break."""
    breaks, crlf = text.count("\n"), text.count("\r\n")
    if not breaks:
        return None
    return "\r\n" if 2 * crlf > breaks else "\n"


def with_break(text: str, line_break: str | None) -> str:
    """Return the text with all line breaks replaced by `line_break`; None leaves them as they are."""
    return text if line_break is None else _BREAK.sub(line_break, text)


def break_near(text: str, position: int) -> str | None:
    """Return the line break that follows offset `position`, or else the last line break before it.

    Returns None if the text has no line break.
    """
    place = text.find("\n", position)
    if place < 0:
        place = text.rfind("\n", 0, position)
    if place < 0:
        return None
    return "\r\n" if place > 0 and text[place - 1] == "\r" else "\n"
