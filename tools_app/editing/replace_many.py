"""Several replacements in one text, in their order, all or none."""

from collections.abc import Sequence
from dataclasses import dataclass

from tools_app.editing.errors import EditError, TooMuchWork
from tools_app.editing.replace import replace
from tools_app.editing.size_limit import CHARACTERS_OF_A_PLACE, MOST_SEARCHED


@dataclass(frozen=True, slots=True)
class Replacement:
    old: str
    new: str
    replace_all: bool = False


def replace_several(content: str, replacements: Sequence[Replacement]) -> str:
    """Each works on what the one before it left. Raises the EditError of the first that cannot be made, which names
    it; then nothing is changed."""
    room = MOST_SEARCHED
    for number, each in enumerate(replacements, 1):
        try:
            room = _left(room, content, each.old)
            content = replace(content, each.old, each.new, replace_all=each.replace_all)
        except EditError as error:
            raise type(error)(_with_number(error.message, number, len(replacements))) from error
    return content


def _left(room: int, content: str, old: str) -> int:
    """What may still be searched after one more edit. To replace a place costs as much as to search many characters."""
    room -= len(content) + CHARACTERS_OF_A_PLACE * (content.count(old) if old else 0)
    if room < 0:
        raise TooMuchWork("So many edits of so large a file would take too long. Make fewer of them at once.")
    return room


def _with_number(message: str, number: int, count: int) -> str:
    if count == 1:
        return message
    return f"Edit {number} of {count}, after those before it: {message}\nNone of the edits was made."
