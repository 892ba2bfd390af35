"""Parse search queries and translate them for PostgreSQL and SQLite. Pure.

    tea cup         both words, each as the beginning of a word
    "green tea"     these words next to each other, complete
    tea OR coffee   either
    -milk           not this one

Every text is a valid query: parts that cannot be parsed are ignored.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from sessions_app.search.words import Word, read_words

MAX_QUERY_CHARACTERS: Final = 1000  # the rest is ignored
MAX_TERMS: Final = 12
_PIECE: Final = re.compile(r'(-?)"([^"]*)"?|(\S+)')


@dataclass(frozen=True, slots=True)
class Term:
    """Words next to each other. If `open`, the last word may be the beginning of a longer word."""

    words: tuple[str, ...]
    open: bool

    def found_in(self, words: Sequence[Word]) -> Iterator[tuple[int, int]]:
        """Yield the indexes in `words` of the first and the last word of each match."""
        size = len(self.words)
        for start in range(len(words) - size + 1):
            if self._matches([word.text for word in words[start : start + size]]):
                yield start, start + size - 1

    def _matches(self, words: Sequence[str]) -> bool:
        *first, last = self.words
        goes_on = words[-1].startswith(last) if self.open else words[-1] == last
        return goes_on and list(words[:-1]) == first


@dataclass(frozen=True, slots=True)
class SearchQuery:
    """A parsed query: one term of each group in `wanted` must match, and no term in `unwanted`."""

    wanted: tuple[tuple[Term, ...], ...]
    unwanted: tuple[Term, ...]

    @property
    def terms(self) -> tuple[Term, ...]:
        return tuple(term for group in self.wanted for term in group)


def parse_query(text: str) -> SearchQuery:
    wanted: list[list[Term]] = []
    unwanted: list[Term] = []
    either = False
    for minus, quoted, bare in _PIECE.findall(text[:MAX_QUERY_CHARACTERS]):
        if bare == "OR" and wanted:
            either = True
            continue
        term = _term(quoted or bare.removeprefix("-"), open_end=bool(bare))
        if term is None or len(wanted) + len(unwanted) >= MAX_TERMS:
            continue
        if minus or bare.startswith("-"):
            unwanted.append(term)
        elif either:
            wanted[-1].append(term)
        else:
            wanted.append([term])
        either = False
    return SearchQuery(tuple(map(tuple, wanted)), tuple(unwanted))


def _term(text: str, *, open_end: bool) -> Term | None:
    words = tuple(word.text for word in read_words(text))[:MAX_TERMS]
    return Term(words, open_end) if words else None


def for_postgres(question: SearchQuery) -> str:
    """Return the query as a `tsquery`. Words contain only letters and digits, so nothing needs escaping."""
    groups = [f"({' | '.join(map(_lexemes, group))})" for group in question.wanted]
    return " & ".join([*groups, *(f"!{_lexemes(term)}" for term in question.unwanted)])


def _lexemes(term: Term) -> str:
    side_by_side = " <-> ".join(f"'{word}'" for word in term.words)
    return f"({side_by_side}{':*' if term.open else ''})"


def for_sqlite(question: SearchQuery) -> str:
    """Return the query in the syntax of SQLite's FTS5."""
    groups = " AND ".join(f"({' OR '.join(map(_phrase, group))})" for group in question.wanted)
    without = " OR ".join(map(_phrase, question.unwanted))
    return f"({groups}) NOT ({without})" if without else groups


def _phrase(term: Term) -> str:
    words = " ".join(term.words)
    return f'"{words}" *' if term.open else f'"{words}"'
