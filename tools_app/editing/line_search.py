"""Search a file for consecutive lines: first exactly, then ignoring whitespace, then ignoring typography."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from tools_app.editing.search_budget import SearchBudget

MAX_MATCHES: Final = 6  # returned by one search
# The cost of a search in units of `SearchBudget`: one unit pays for so many lines.
LINES_COMPARED_PER_UNIT: Final = 20
LINES_READ_PER_UNIT: Final = 8

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
    """Return the text stripped, with typographic quotes, dashes, spaces and ellipses replaced by ASCII characters."""
    return text.strip() if text.isascii() else text.translate(_FOLDED).strip()


LEVELS: Final[Sequence[Callable[[str], str]]] = (str, str.rstrip, str.strip, fold)
"""How lines are normalised before they are compared, from strict to lenient: not at all, without trailing whitespace,
without leading and trailing whitespace, without typography. The first level with a match is used."""


@dataclass(frozen=True, slots=True)
class LineMatch:
    """The matches that a search for consecutive lines has found in a file."""

    places: tuple[int, ...]
    """Indexes (from 0) of the line at which each match begins, at most 6."""
    level: int
    """Index in `LEVELS` of the normalisation that was needed; 0 means an exact match."""

    @property
    def is_exact(self) -> bool:
        return self.level == 0


class LineIndex:
    """The lines of one file, in forms that make repeated searches fast. The cost of building the forms and of the
    searches is charged to `budget`."""

    def __init__(self, texts: Sequence[str], budget: SearchBudget) -> None:
        self._texts = texts
        self._budget = budget
        self._levels: dict[int, list[str]] = {}

    def find(self, wanted: Sequence[str], start: int, *, at_end: bool = False) -> LineMatch | None:
        """Find `wanted` (at least one line) at line index `start` or later; None if it is not there.

        With `at_end`, only the last lines of the file can match.
        """
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
                return LineMatch(tuple(found), level)
        return None

    def _level(self, level: int) -> list[str]:
        if level not in self._levels:
            self._budget.spend(len(self._texts) // LINES_READ_PER_UNIT)
            self._levels[level] = list(map(LEVELS[level], self._texts))
        return self._levels[level]

    def _places(self, texts: list[str], wanted: list[str], start: int, last: int) -> list[int]:
        """Return the indexes of the lines at which a match begins. Only occurrences of the longest wanted line are
        examined, since it is usually rare."""
        anchor = max(range(len(wanted)), key=lambda index: len(wanted[index]))
        found: list[int] = []
        position = start + anchor
        while len(found) < MAX_MATCHES:
            try:
                position = texts.index(wanted[anchor], position, last + anchor + 1) + 1
            except ValueError:
                break
            first = position - 1 - anchor
            self._budget.spend(1 + len(wanted) // LINES_COMPARED_PER_UNIT)
            if texts[first : first + len(wanted)] == wanted:
                found.append(first)
        return found
