"""Make several replacements in one text, in order: either all of them or none."""

from collections.abc import Sequence
from dataclasses import dataclass

from tools_app.editing.errors import EditError, TooMuchWork
from tools_app.editing.replace import replace
from tools_app.editing.size_limit import CHARACTERS_PER_REPLACEMENT, MAX_SEARCHED_CHARACTERS


@dataclass(frozen=True, slots=True)
class Replacement:
    old: str
    new: str
    replace_all: bool = False


def replace_several(content: str, replacements: Sequence[Replacement]) -> str:
    """Return `content` after all replacements; each is applied to the result of the previous replacement.

    Raises the EditError of the first replacement that fails; its message names the number of the replacement.
    """
    room = MAX_SEARCHED_CHARACTERS
    for number, each in enumerate(replacements, 1):
        try:
            room = _remaining(room, content, each.old)
            content = replace(content, each.old, each.new, replace_all=each.replace_all)
        except EditError as error:
            raise type(error)(_with_number(error.message, number, len(replacements))) from error
    return content


def _remaining(room: int, content: str, old: str) -> int:
    """Return the number of characters that may still be searched after one more edit.

    Each replacement costs as much as searching `CHARACTERS_PER_REPLACEMENT` characters. Raises TooMuchWork.
    """
    room -= len(content) + CHARACTERS_PER_REPLACEMENT * (content.count(old) if old else 0)
    if room < 0:
        raise TooMuchWork("So many edits of so large a file would take too long. Make fewer of them at once.")
    return room


def _with_number(message: str, number: int, count: int) -> str:
    if count == 1:
        return message
    return f"Edit {number} of {count}, after those before it: {message}\nNone of the edits was made."
