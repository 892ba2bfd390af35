"""Cut the snippet of a text around the first match, with matches marked as separate pieces instead of markup. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from sessions_app.search.query import SearchQuery
from sessions_app.search.words import MAX_SEARCHED_CHARACTERS, Word, read_words

CHARACTERS_BEFORE: Final = 60  # shown before the first match
LENGTH: Final = 220


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of a snippet. `hit`: the piece matches the query."""

    text: str
    hit: bool = False


def snippet(text: str, question: SearchQuery) -> list[Piece]:
    text = text[:MAX_SEARCHED_CHARACTERS]
    words = list(read_words(text))
    spans = _spans(words, question)
    first = spans[0][0] if spans else 0
    start = _start_of_word(words, max(0, first - CHARACTERS_BEFORE))
    end = min(len(text), start + LENGTH)
    pieces = [Piece("…")] if start else []
    place = start
    for left, right in spans:
        if left >= end:
            break
        pieces += [Piece(text[place:left]), Piece(text[left:right], hit=True)]
        place = right
    pieces += [Piece(text[place : max(end, place)]), Piece("…" if end < len(text) else "")]
    return [Piece(" ".join(piece.text.split("\n")), piece.hit) for piece in pieces if piece.text]


def _spans(words: Sequence[Word], question: SearchQuery) -> list[tuple[int, int]]:
    """Return (start, end) of each part of the text that matches a term of the query, from left to right and without
    overlaps."""
    found = sorted(
        (words[first].start, words[last].end) for term in question.terms for first, last in term.found_in(words)
    )
    spans: list[tuple[int, int]] = []
    for left, right in found:
        if not spans or left >= spans[-1][1]:
            spans.append((left, right))
    return spans


def _start_of_word(words: Sequence[Word], place: int) -> int:
    """Return the start of the first word at or after the position, so that the snippet does not begin inside a word."""
    return 0 if place == 0 else next((word.start for word in words if word.start >= place), place)
