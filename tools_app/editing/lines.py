"""A text as lines that know where they stand in it."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

_BREAK: Final = re.compile(r"\r?\n")


@dataclass(frozen=True, slots=True)
class Line:
    """`text` is without its line break; `start`, `end` frame the text and `after` is behind the break."""

    text: str
    start: int
    end: int
    after: int


@dataclass(frozen=True, slots=True)
class Span:
    start: int
    end: int


class LinedText(str):
    """A text that is asked for its lines again and again, and takes it apart only once."""

    __slots__ = ("_lines",)

    @property
    def lines(self) -> list[Line]:
        if not hasattr(self, "_lines"):
            self._lines = _taken_apart(self)
        return self._lines


def lines_of(text: str) -> list[Line]:
    """All lines; a final line break does not begin another one."""
    return text.lines if isinstance(text, LinedText) else _taken_apart(text)


def _taken_apart(text: str) -> list[Line]:
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
    """Every run of `size` neighbouring lines that begins with the line `first`, blanks around it aside."""
    for start in range(len(lines) - size + 1):
        if lines[start].text.strip() == first:
            yield lines[start : start + size]


def ends_with_break(text: str) -> bool:
    return text.endswith("\n")


def dominant_break(text: str) -> str | None:
    """The line break of a text, one CRLF being enough for CRLF; None for a text without any."""
    if "\r\n" in text:
        return "\r\n"
    return "\n" if "\n" in text else None


def usual_break(text: str) -> str | None:
    """The line break that most lines of a text have; None for a text without any."""
    breaks, crlf = text.count("\n"), text.count("\r\n")
    if not breaks:
        return None
    return "\r\n" if 2 * crlf > breaks else "\n"


def with_break(text: str, line_break: str | None) -> str:
    return text if line_break is None else _BREAK.sub(line_break, text)


def break_near(text: str, position: int) -> str | None:
    """The line break that ends the line at `position`, or else the one before it; None for a text without any."""
    place = text.find("\n", position)
    if place < 0:
        place = text.rfind("\n", 0, position)
    if place < 0:
        return None
    return "\r\n" if place > 0 and text[place - 1] == "\r" else "\n"
