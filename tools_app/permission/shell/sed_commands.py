"""sed_commands(): the shell commands that a script of `sed` runs with its command `e` and its flag `e`."""

import re
from collections.abc import Iterator
from typing import Final

MAX_SCRIPT: Final = 5_000  # characters of a script that are read
_MAX_COMMANDS: Final = 200  # of one script
_BETWEEN: Final = re.compile(r"[\s;{}]*")
_SET: Final = r"\[\^?\]?(?:\[:\w{1,9}:\]|[^\]\n]){0,100}\]"
"""Characters in brackets. Without a closing bracket soon, the first one stands for itself."""


def _until(delimiter: str) -> str:
    return rf"(?:{_SET}|(?!{delimiter}|{_SET})[^\\\n]|\\.)*{delimiter}"


def _line(name: str) -> str:
    return rf"(?:\d+|\$|/{_until('/')}|\\(?P<{name}>[^\s\\]){_until(f'(?P={name})')})[IM]*(?:~\d+)?"


_ADDRESS: Final = re.compile(rf"(?:{_line('first')}(?:\s*,\s*(?:[+~]\d+|{_line('last')}))?)?[\s!]*", re.DOTALL)
_SUBSTITUTION: Final = re.compile(
    rf"[sy](?P<by>[^\s\\]){_until('(?P=by)')}(?P<new>(?:(?!(?P=by))[^\\]|\\.)*)(?P=by)(?P<flags>\w*)", re.DOTALL
)
_EXECUTION: Final = re.compile(r"e[ \t]*(?P<command>[^\n]*)")
_TEXT: Final = re.compile(r"[aicrRwW](?:[^\n\\]|\\.)*|[:btT][ \t]*[^\s;}]*", re.DOTALL)
"""A command with a text to the end of its line, or with a label."""
_LINE: Final = re.compile(r"[^\n]*")
_OTHER: Final = re.compile(r"[^\s;{}]+")
_INSERTED: Final = re.compile(r"\\(.)|&", re.DOTALL)
_NOT_KNOWN: Final = "$LINE"
"""Stands for a part of the input."""


def sed_commands(script: str) -> Iterator[str]:
    """Yield the commands that a script of `sed` runs. What comes from the input is an unknown variable in them."""
    script, position = script[:MAX_SCRIPT], 0
    for _ in range(_MAX_COMMANDS):
        position = _end(_BETWEEN, script, position)
        position = _end(_ADDRESS, script, position)
        if found := _SUBSTITUTION.match(script, position):
            if "e" in found["flags"] and script[position] == "s":
                yield _inserted(found["new"], found["by"])
            found = _LINE.match(script, found.end()) if "w" in found["flags"] else found
        elif found := _EXECUTION.match(script, position):
            yield found["command"]
        else:
            found = _TEXT.match(script, position) or _OTHER.match(script, position)
        position = found.end() if found else position + 1


def _end(pattern: re.Pattern[str], script: str, position: int) -> int:
    found = pattern.match(script, position)
    return found.end() if found else position


def _inserted(text: str, delimiter: str) -> str:
    """Return the replacement text of `s` as the shell gets it."""

    def read(found: re.Match[str]) -> str:
        char = found[1]
        if char is None or char.isdigit():
            return _NOT_KNOWN
        return "\n" if char == "n" else char if char == delimiter else found[0]

    return _INSERTED.sub(read, text)
