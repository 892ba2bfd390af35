"""Delta debugging: shorten a shell text that fails a check, by leaving out smaller and smaller pieces."""

import re
from collections.abc import Callable, Collection, Sequence
from typing import Final

Failing = Callable[[Sequence[str]], Collection[str]]
"""A function that returns the failing ones of the given texts."""

MOST_ROUNDS: Final = 30
_PIECE: Final = re.compile(r"\s+|[\w./-]+|.", re.DOTALL)


def reduced(text: str, failing: Failing) -> str:
    """Return a shorter text that still fails. Words and punctuation are removed until none can be spared, for at most
    `MOST_ROUNDS` rounds."""
    pieces = _PIECE.findall(text)
    size = max(1, len(pieces) // 2)
    for _ in range(MOST_ROUNDS):
        shorter = _first_failing(pieces, size, failing)
        if shorter is not None:
            pieces = shorter
            size = min(size, max(1, len(pieces) // 2))
        elif size == 1:
            break
        else:
            size //= 2
    return "".join(pieces)


def _first_failing(pieces: Sequence[str], size: int, failing: Failing) -> list[str] | None:
    without = [[*pieces[:at], *pieces[at + size :]] for at in range(0, len(pieces), size)]
    candidates = {text: left for left in without if (text := "".join(left)).strip()}
    found = failing(list(candidates)) if candidates else ()
    return next((left for text, left in candidates.items() if text in found), None)
