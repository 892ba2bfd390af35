"""Where a text that was not found may have been meant."""

import re
from collections.abc import Sequence
from heapq import nlargest
from typing import Final

from tools_app.editing.lines import Line, lines_of
from tools_app.editing.similarity import similarity
from tools_app.editing.size_limit import is_large

_WORD: Final = re.compile(r"\w{3,}")
_LONGEST_COMPARED: Final = 400
_MOST_COMPARED: Final = 2000
_ALIKE: Final = 0.5
_LINES_SHOWN: Final = 5
_CHARACTERS_SHOWN: Final = 160


def closest_place(content: str, old: str) -> str:
    """A sentence that shows the lines most like the most telling line of `old`; empty when nothing is alike, or
    too much would have to be compared."""
    wanted = lines_of(old)
    if not wanted or is_large(content):
        return ""
    anchor = max(range(len(wanted)), key=lambda index: len(wanted[index].text.strip()))
    lines = lines_of(content)
    index = _most_alike(lines, wanted[anchor].text.strip())
    if index is None:
        return ""
    first = max(0, index - min(anchor, _LINES_SHOWN - 1))
    shown = lines[first : max(first + min(len(wanted), _LINES_SHOWN), index + 1)]
    text = "\n".join(f"{number}: {line.text[:_CHARACTERS_SHOWN]}" for number, line in enumerate(shown, first + 1))
    return f"The closest place is:\n{text}"


def _most_alike(lines: Sequence[Line], anchor: str) -> int | None:
    """The first of the lines that are most like it, of those that share the most words with it; where none shares
    any, it must be like it for the most part."""
    words = set(_WORD.findall(anchor))
    shared = ((len(words.intersection(_WORD.findall(line.text))), -index) for index, line in enumerate(lines))
    rated = (
        (count, similarity(lines[-index].text.strip()[:_LONGEST_COMPARED], anchor[:_LONGEST_COMPARED]), index)
        for count, index in nlargest(_MOST_COMPARED, shared)
    )
    count, likeness, place = max(rated, default=(0, 0.0, 0))
    return -place if count or likeness >= _ALIKE else None
