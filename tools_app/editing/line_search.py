"""Finding a run of lines in a file, from strict to forgiving."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from tools_app.editing.search_budget import Work

MOST_PLACES: Final = 6
LINES_COMPARED_AT_ONCE: Final = 20
LINES_READ_AT_ONCE: Final = 8

_FOLDED: Final = str.maketrans(
    {
        **dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212", "-"),
        **dict.fromkeys("\u2018\u2019\u201a\u201b", "'"),
        **dict.fromkeys("\u201c\u201d\u201e\u201f", '"'),
        **dict.fromkeys("\u00a0\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000", " "),
        "\u2026": "...",
    }
)


def fold(text: str) -> str:
    """With the quotes, dashes, blanks and dots that a keyboard has."""
    return text.strip() if text.isascii() else text.translate(_FOLDED).strip()


LEVELS: Final[Sequence[Callable[[str], str]]] = (str, str.rstrip, str.strip, fold)
"""Equal as they stand, but for blanks at the end, at both ends, and for typography. The first that fits decides."""


@dataclass(frozen=True, slots=True)
class Sought:
    """Numbers (from 0) of the first lines of the places that fit, a few of them at most, and how well."""

    places: tuple[int, ...]
    level: int

    @property
    def is_exact(self) -> bool:
        return self.level == 0


class LineIndex:
    """The lines of one file, to be looked for many times. What it does is counted as `work`."""

    def __init__(self, texts: Sequence[str], work: Work) -> None:
        self._texts = texts
        self._work = work
        self._levels: dict[int, list[str]] = {}

    def seek(self, wanted: Sequence[str], start: int, *, at_end: bool = False) -> Sought | None:
        """Where `wanted`, which is not empty, stands at line `start` or later; `at_end`: as the last lines only."""
        for level, normal in enumerate(LEVELS):
            texts, normalised = self._level(level), list(map(normal, wanted))
            last = len(texts) - len(wanted)
            if last < start:
                return None
            if at_end:
                found = [last] if texts[last:] == normalised else []
            else:
                found = self._places(texts, normalised, start, last)
            if found:
                return Sought(tuple(found), level)
        return None

    def _level(self, level: int) -> list[str]:
        if level not in self._levels:
            self._work.spend(len(self._texts) // LINES_READ_AT_ONCE)
            self._levels[level] = list(map(LEVELS[level], self._texts))
        return self._levels[level]

    def _places(self, texts: list[str], wanted: list[str], start: int, last: int) -> list[int]:
        """The longest of the wanted lines mostly stands in the fewest places: only there can all of them be."""
        anchor = max(range(len(wanted)), key=lambda index: len(wanted[index]))
        found: list[int] = []
        position = start + anchor
        while len(found) < MOST_PLACES:
            try:
                position = texts.index(wanted[anchor], position, last + anchor + 1) + 1
            except ValueError:
                break
            first = position - 1 - anchor
            self._work.spend(1 + len(wanted) // LINES_COMPARED_AT_ONCE)
            if texts[first : first + len(wanted)] == wanted:
                found.append(first)
        return found
