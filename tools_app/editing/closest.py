"""Find the lines of a file that are most similar to a text that the file does not contain, for error messages."""

import re
from collections.abc import Sequence
from heapq import nlargest
from typing import Final

from tools_app.editing.lines import Line, lines_of
from tools_app.editing.similarity import similarity
from tools_app.editing.size_limit import is_large

_WORD: Final = re.compile(r"\w{3,}")
_MAX_COMPARED_CHARACTERS: Final = 400  # of one line
_MAX_COMPARED_LINES: Final = 2000
_MIN_SIMILARITY: Final = 0.5  # for a line that shares no word with the text; 1.0 means equal
_MAX_LINES_SHOWN: Final = 5
_MAX_CHARACTERS_SHOWN: Final = 160  # of one line


def closest_lines_message(content: str, old: str) -> str:
    """Return a message that shows the lines most similar to `old`, which was not found in `content`.

    The longest line of `old` is compared with every line. Returns "" if no line is similar or `content` is too large.
    """
    wanted = lines_of(old)
    if not wanted or is_large(content):
        return ""
    anchor = max(range(len(wanted)), key=lambda index: len(wanted[index].text.strip()))
    lines = lines_of(content)
    index = _most_similar_line(lines, wanted[anchor].text.strip())
    if index is None:
        return ""
    first = max(0, index - min(anchor, _MAX_LINES_SHOWN - 1))
    shown = lines[first : max(first + min(len(wanted), _MAX_LINES_SHOWN), index + 1)]
    text = "\n".join(f"{number}: {line.text[:_MAX_CHARACTERS_SHOWN]}" for number, line in enumerate(shown, first + 1))
    return f"The closest place is:\n{text}"


def _most_similar_line(lines: Sequence[Line], anchor: str) -> int | None:
    """Return the index of the line most similar to `anchor`, or None.

    Lines are ranked by the number of words they share with `anchor`, then by similarity, then by position. A line
    that shares no word must have a similarity of at least 0.5.
    """
    words = set(_WORD.findall(anchor))
    shared = ((len(words.intersection(_WORD.findall(line.text))), -index) for index, line in enumerate(lines))
    rated = (
        (
            count,
            similarity(lines[-index].text.strip()[:_MAX_COMPARED_CHARACTERS], anchor[:_MAX_COMPARED_CHARACTERS]),
            index,
        )
        for count, index in nlargest(_MAX_COMPARED_LINES, shared)
    )
    count, likeness, place = max(rated, default=(0, 0.0, 0))
    return -place if count or likeness >= _MIN_SIMILARITY else None
