"""sed_commands(), sed_files(): what a script of `sed` runs with `e`, and the files that it reads or writes."""

import re
from collections.abc import Iterator
from typing import Final

from tools_app.permission.shell.model import Mode

MAX_SCRIPT: Final = 5_000  # characters of a script that are read
_MAX_COMMANDS: Final = 200  # of one script
_BETWEEN: Final = re.compile(r"[\s;{}]*")
_SET: Final = r"\[\^?\]?(?:\[:\w{1,9}:\]|[^\]\n]){0,100}\]"
"""Characters in brackets. Without a closing bracket soon, the first one stands for itself."""


def _until(delimiter: str) -> str:
    return rf"(?:{_SET}|(?!{delimiter}|{_SET})[^\\\n]|\\.)*{delimiter}"


def _line(name: str) -> str:
    return rf"(?:\d+|\$|/{_until('/')}|\\(?P<{name}>[^\n\\]){_until(f'(?P={name})')})[IM]*(?:~\d+)?"


_ADDRESS: Final = re.compile(rf"(?:{_line('first')}(?:\s*,\s*(?:[+~]\d+|{_line('last')}))?)?[\s!]*", re.DOTALL)
_SUBSTITUTION: Final = re.compile(
    rf"[sy](?P<by>[^\n\\]){_until('(?P=by)')}(?P<new>(?:(?!(?P=by))[^\\]|\\.)*)(?P=by)"
    r"(?P<flags>[\dgpiImMe]*)(?:w[ \t]*(?P<file>[^\n]*))?",
    re.DOTALL,
)
_FILE: Final = re.compile(r"(?P<name>[rRwW])[ \t]*(?P<file>[^\n]*)")
_EXECUTION: Final = re.compile(r"e[ \t]*(?P<command>[^\n]*)")
_WITH_ARGUMENTS: Final = (_SUBSTITUTION, _EXECUTION, _FILE)
_TEXT: Final = re.compile(r"[aic](?:[^\n\\]|\\.)*|[:btT][ \t]*[^\s;}]*|\#[^\n]*", re.DOTALL)
"""A command with a text to the end of its line, or with a label."""
_OTHER: Final = re.compile(r"[^\s;{}]+")
_INSERTED: Final = re.compile(
    r"\\(?:(?P<base>x(?=[0-9A-Fa-f]{1,2})|o(?=[0-7]{1,3})|d(?=\d{1,3}))(?P<number>(?<=x)[0-9A-Fa-f]{1,2}|(?<=o)[0-7]{1,3}"
    r"|(?<=d)\d{1,3})|(?P<char>.))|&",
    re.DOTALL,
)
_BASES: Final = {"x": 16, "o": 8, "d": 10}
"""The numbers with which `sed` writes a character: `\\x20`, `\\o40`, `\\d032`."""
_SPACES: Final = {"n": "\n", "t": "\t"}
_NOT_KNOWN: Final = "$LINE"
"""Stands for a part of the input."""


def sed_commands(script: str) -> Iterator[str]:
    """Yield the commands that a script of `sed` runs. What comes from the input is an unknown variable in them."""
    for found in _commands(script):
        if found.re is _EXECUTION:
            yield found["command"]
        elif found.re is _SUBSTITUTION and "e" in found["flags"] and found[0][0] == "s":
            yield _inserted(found["new"], found["by"])


def sed_files(script: str) -> Iterator[tuple[str, Mode]]:
    """Yield the files that a script of `sed` reads or writes. A name is everything up to the end of its line."""
    for found in _commands(script):
        name = found["file"] if found.re in {_FILE, _SUBSTITUTION} else None
        if name:
            yield name, "read" if found[0][0] in "rR" else "write"


def _commands(script: str) -> Iterator[re.Match[str]]:
    """Yield the commands of a script of `sed` that have an argument, in their order."""
    script, position = script[:MAX_SCRIPT], 0
    for _ in range(_MAX_COMMANDS):
        position = _end(_BETWEEN, script, position)
        position = _end(_ADDRESS, script, position)
        found = next(filter(None, (each.match(script, position) for each in _WITH_ARGUMENTS)), None)
        if found:
            yield found
        found = found or _TEXT.match(script, position) or _OTHER.match(script, position)
        position = found.end() if found else position + 1
        if position >= len(script):
            return


def _end(pattern: re.Pattern[str], script: str, position: int) -> int:
    found = pattern.match(script, position)
    return found.end() if found else position


def _inserted(text: str, delimiter: str) -> str:
    """Return the replacement text of `s` as the shell gets it."""

    def read(found: re.Match[str]) -> str:
        char = found["char"]
        if found["base"]:
            return chr(int(found["number"], _BASES[found["base"]]) & 0xFF)
        if char is None or char.isdigit():
            return _NOT_KNOWN
        return _SPACES.get(char) or (char if char == delimiter else found[0])

    return _INSERTED.sub(read, text)
