"""Text as words that every database reads alike: small ASCII letters and digits. Pure.

A word loses its case and its accents. A character of a script that writes without spaces, and a pictogram, is a word
of its own, so that any piece of such a text is found. Words that are not ASCII are written as the numbers of their
characters, five digits each, which keeps the beginning of a word the beginning of what is written.
"""

import re
import unicodedata
from collections.abc import Iterator
from typing import Final, NamedTuple

LONGEST_TEXT: Final = 20_000  # characters of one text that are searched
LONGEST_WORD: Final = 40
_ASCII_WORD: Final = re.compile(r"[A-Za-z0-9]+")
_ALONE: Final = (
    (0x0E00, 0x0EFF), (0x1000, 0x109F), (0x1780, 0x17FF), (0x2E80, 0x2FDF), (0x3040, 0x30FF), (0x31F0, 0x31FF),
    (0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xF900, 0xFAFF), (0x20000, 0x3FFFF),
)  # fmt: skip
"""Thai and Lao, Burmese, Khmer, Chinese, Japanese."""


class Word(NamedTuple):
    """`text` as it is searched, and where it stands in what was read."""

    text: str
    start: int
    end: int


def words_of(text: str) -> str:
    return " ".join(word.text for word in read_words(text[:LONGEST_TEXT]))


def read_words(text: str) -> Iterator[Word]:
    if text.isascii():
        for found in _ASCII_WORD.finditer(text):
            yield Word(found[0].lower()[:LONGEST_WORD], *found.span())
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
    """Its letters and digits without case and accents, "" for what is no part of a word."""
    if character.isascii():
        return character.lower() if character.isalnum() else ""
    taken_apart = unicodedata.normalize("NFKD", character.casefold())
    return "".join(each for each in taken_apart if each.isalnum())


def _stands_alone(character: str) -> bool:
    number = ord(character)
    return any(first <= number <= last for first, last in _ALONE) or unicodedata.category(character) == "So"


def _joins(character: str) -> bool:
    """A sign on the letter before it, which is not the end of a word."""
    return unicodedata.category(character) in ("Mn", "Mc", "Cf")


def _written(letters: str) -> str:
    if letters.isascii():
        return letters[:LONGEST_WORD]
    return "u" + "".join(f"{ord(each):05x}" for each in letters[:LONGEST_WORD])
