"""Simulates `tr`, and `y` of `sed`."""

import re
from typing import Final

from tools_app.permission.shell.character_classes import CLASSES
from tools_app.permission.shell.escapes import unescaped
from tools_app.permission.shell.rehearsal.guess import Guess
from tools_app.permission.shell.rehearsal.options import Given

_MAX_SET: Final = 300  # characters of a set
_NOT_SIMULATED: Final = re.compile(r"\[=.=\]|\[.\*\d*\]", re.DOTALL)
_SPECIAL: Final = re.compile(r"\\([abfv])")
_LETTERS: Final = {"a": "\a", "b": "\b", "f": "\f", "v": "\v"}


def translated(old: str, new: str, text: str) -> str:
    """Return a text with characters replaced by others. The last new character stands for all that are missing."""
    first, second = characters_of(old), characters_of(new)
    second = second.ljust(len(first), second[-1:] or " ")
    return text.translate({ord(one): other for one, other in reversed(list(zip(first, second, strict=False)))})


def changed_by_tr(given: Given, text: str) -> str:
    """Return the output of `tr`."""
    flags, sets = given.options, [characters_of(each) for each in given.operands[:2]]
    if not sets:
        return text
    others = "c" in flags or "C" in flags
    chosen = frozenset(sets[0])
    certain = not any(map(_NOT_SIMULATED.search, given.operands)) and "t" not in flags
    if "d" in flags:
        text = "".join(char for char in text if (char in chosen) is others)
    elif len(sets) > 1 and sets[1]:
        last = sets[1][-1]
        text = (
            "".join(char if char in chosen else last for char in text)
            if others
            else translated(given.operands[0], given.operands[1], text)
        )
    if "s" in flags:
        by = frozenset(sets[-1])
        negated = others and len(sets) == 1
        text = re.sub(r"(.)\1+", lambda its: its[1] if (its[1] in by) is not negated else its[0], text, flags=re.DOTALL)
    return text if certain else Guess(text)


def characters_of(word: str) -> str:
    """Return the characters of a set such as `a-z` or `[:upper:]`."""
    word = re.sub(r"\[:(\w+):\]", lambda found: CLASSES.get(found[1], ""), word)
    word = _SPECIAL.sub(lambda found: _LETTERS[found[1]], word)
    word = unescaped(word) if "\\" in word else word
    found = ""
    for one, last in re.findall(r"(.)(?:-(.))?", word, re.DOTALL):
        found += one + "".join(map(chr, range(ord(one) + 1, min(ord(last), ord(one) + _MAX_SET) + 1))) if last else one
    return found[:_MAX_SET]
