"""declared_commands(): commands whose program and arguments have keys of their own in a file of settings.

Examples are `entry: git` and `args: [push]` of a hook, `command` and `args` of a task, and `entrypoint` and `command`
of a service.
"""

import re
from collections.abc import Iterator
from itertools import product
from typing import Final

_MAX: Final = 6  # programs, and lists of arguments, of one text
_VALUE: Final = r"(?:\[([^\]]{0,300})\]|\n((?:[ \t]{0,40}-\s[^\n]{1,100}(?:\n|$)){1,20})|([^\n,}\]]{1,200}))"
_PROGRAM: Final = re.compile(
    rf"(?<![\w-])['\"]?(?:command|cmd|entry|entrypoint|exec|run|runner|program|executable|script)"
    rf"['\"]?[ \t]{{0,20}}[:=][ \t]{{0,20}}{_VALUE}"
)
_ARGUMENTS: Final = re.compile(
    rf"(?<![\w-])['\"]?(?:args|arguments|argv|parameters|command)['\"]?[ \t]{{0,20}}[:=][ \t]{{0,20}}{_VALUE}"
)
_WORD: Final = re.compile(r"[\w./@:=+${}-]+")


def declared_commands(text: str) -> Iterator[str]:
    """Yield each program that the text of a settings file declares: alone, and with each declared list of arguments."""
    programs = _values(_PROGRAM, text)
    yield from programs
    for program, arguments in product(programs, _values(_ARGUMENTS, text) if programs else ()):
        if program != arguments:
            yield f"{program} {arguments}"


def _values(key: re.Pattern[str], text: str) -> list[str]:
    found = []
    for each in key.finditer(text):
        listed = each[1] or re.sub(r"(?m)^\s*-\s", " ", each[2] or "") or each[3]
        found.append(" ".join(_WORD.findall(listed)))
    return list(dict.fromkeys(filter(None, found)))[:_MAX]
