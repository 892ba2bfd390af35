"""Size limits of text edits.

A text above the limit is not searched approximately, because the search would block every other call of the worker.
"""

from typing import Final

MAX_CHARACTERS: Final = 4 << 20  # of a text that is searched approximately
MAX_LINES: Final = 100_000
MAX_RESULT_CHARACTERS: Final = 32 << 20
"""Characters of the file after an edit. The sandbox cannot write more at once, and replacing every `a` by a long text
could exhaust the worker's memory."""
MAX_SEARCHED_CHARACTERS: Final = 64 << 20
"""Characters that all edits of one call together may search."""
CHARACTERS_PER_REPLACEMENT: Final = 400
"""The cost of one replacement, in searched characters."""


def is_large(text: str) -> bool:
    """Return whether the text is too large for an approximate search."""
    return len(text) > MAX_CHARACTERS or text.count("\n") > MAX_LINES
