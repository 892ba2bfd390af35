"""What is too large to be searched for what is only alike: that would keep every other call of the worker waiting."""

from typing import Final

MOST_CHARACTERS: Final = 4 << 20
MOST_LINES: Final = 100_000


def is_large(text: str) -> bool:
    return len(text) > MOST_CHARACTERS or text.count("\n") > MOST_LINES
