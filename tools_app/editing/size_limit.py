"""What is too large to be searched for what is only alike: that would keep every other call of the worker waiting."""

from typing import Final

MOST_CHARACTERS: Final = 4 << 20
MOST_LINES: Final = 100_000
LARGEST_RESULT: Final = 32 << 20
"""Characters; more can neither be written at once nor, when every `a` becomes a book, be held."""
MOST_SEARCHED: Final = 64 << 20
"""Characters that the edits of one call search in all."""
CHARACTERS_OF_A_PLACE: Final = 400


def is_large(text: str) -> bool:
    return len(text) > MOST_CHARACTERS or text.count("\n") > MOST_LINES
