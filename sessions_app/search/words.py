"""Normalize text to lower-case ASCII words, identical for every database. Pure.

Case and accents are removed. Each character of a script without spaces, and each pictogram, is a word of its own, so
that any part of such a text can be found. Other non-ASCII words are written as the code points of their characters,
five digits each, which keeps prefixes intact.
"""

import re
import unicodedata
from collections.abc import Iterator
from typing import Final, NamedTuple

MAX_SEARCHED_CHARACTERS: Final = 20_000  # characters of one text that are searched
MAX_WORD_CHARACTERS: Final = 40
_ASCII_WORD: Final = re.compile(r"[A-Za-z0-9]+")
_ALONE: Final = (
    (0x0E00, 0x0EFF), (0x1000, 0x109F), (0x1780, 0x17FF), (0x2E80, 0x2FDF), (0x3040, 0x30FF), (0x31F0, 0x31FF),
    (0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xF900, 0xFAFF), (0x20000, 0x3FFFF),
)  # fmt: skip
"""Code point ranges of Thai and Lao, Burmese, Khmer, Chinese and Japanese."""


class Word(NamedTuple):
    """A normalized word: its `text`, and its position in the source text."""

    text: str
    start: int
    end: int


def words_of(text: str) -> str:
    return " ".join(word.text for word in read_words(text[:MAX_SEARCHED_CHARACTERS]))


def read_words(text: str) -> Iterator[Word]:
    if text.isascii():
        for found in _ASCII_WORD.finditer(text):
            yield Word(found[0].lower()[:MAX_WORD_CHARACTERS], *found.span())
        return
    letters, start = "", 0
    for place, character in enumerate(text):
        plain = _plain(character)
        alone = _stands_alone(character)
        if plain and not alone:
            start = start if letters else place
            letters += plain
            continue
        if letters and not _joins(character):
            yield Word(_written(letters), start, place)
            letters = ""
        if alone:
            yield Word(_written(plain or character), place, place + 1)
    if letters:
        yield Word(_written(letters), start, len(text))


def _plain(character: str) -> str:
    """Return the character's letters and digits without case and accents, or "" if it is not part of a word."""
    if character.isascii():
        return character.lower() if character.isalnum() else ""
    taken_apart = unicodedata.normalize("NFKD", character.casefold())
    return "".join(each for each in taken_apart if each.isalnum())


def _stands_alone(character: str) -> bool:
    number = ord(character)
    return any(first <= number <= last for first, last in _ALONE) or unicodedata.category(character) == "So"


def _joins(character: str) -> bool:
    """Return whether the character is a combining mark, which does not end a word."""
    return unicodedata.category(character) in ("Mn", "Mc", "Cf")


def _written(letters: str) -> str:
    if letters.isascii():
        return letters[:MAX_WORD_CHARACTERS]
    return "u" + "".join(f"{ord(each):05x}" for each in letters[:MAX_WORD_CHARACTERS])
