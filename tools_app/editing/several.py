"""Several replacements in one text, in their order, all or none."""

from collections.abc import Sequence
from dataclasses import dataclass

from tools_app.editing.errors import EditError
from tools_app.editing.replace import replace


@dataclass(frozen=True, slots=True)
class Replacement:
    old: str
    new: str
    replace_all: bool = False


def replace_several(content: str, replacements: Sequence[Replacement]) -> str:
    """Each works on what the one before it left. Raises the EditError of the first that cannot be made, which names
    it; then nothing is changed."""
    for number, each in enumerate(replacements, 1):
        try:
            content = replace(content, each.old, each.new, replace_all=each.replace_all)
        except EditError as error:
            raise type(error)(_with_number(error.message, number, len(replacements))) from error
    return content


def _with_number(message: str, number: int, count: int) -> str:
    if count == 1:
        return message
    return f"Edit {number} of {count}, after those before it: {message}\nNone of the edits was made."
