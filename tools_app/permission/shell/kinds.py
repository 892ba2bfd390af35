"""touch_kinds(): files with endings that an option adds to those that a tool reads: `cpplint --extensions=env a`."""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final

from tools_app.permission.names import names
from tools_app.permission.shell.usage import CommandUsage, UnnamedTree
from tools_app.permission.shell.words import Field

_EXCLUDES: Final = r"(?!.*(?:ignore|exclude|skip|omit|no-|not-))"
_KINDS: Final = re.compile(
    rf"{_EXCLUDES}-+[\w-]*(?:(?<![a-z])ext(?:s|ensions?|end)?(?![a-z])|glob|include|suffix|filename)[\w-]*"
)
_PATTERNS: Final = re.compile(rf"{_EXCLUDES}-+[\w-]*(?:pattern|match|regexp?)[\w-]*|-[pPgm]", re.IGNORECASE)
"""Options whose value counts only if it looks like a pattern."""
_SHORT: Final = names("-e -E -F")
"""Options for endings whose value is a single word."""
_PIECE: Final = re.compile(r"[\w.*]+")
_PLAIN: Final = re.compile(r"\.?(\w{2,12})")
_ENDING: Final = re.compile(r"(?:.*[*%\\\]])?\.?(\w[\w.]{0,20})\)*\$?", re.DOTALL)
_PATTERN: Final = re.compile(r".*[*%\\\]]\.[({]?([\w|,]{1,60})[)}]*\$?", re.DOTALL)
"""A glob or a regular expression for names with an ending: `*.env`, `\\.(env|txt)$`, `%.env$`."""
_BETWEEN: Final = re.compile("[|,]")
_ACTIONS: Final = names("discover test lint check build run fmt format")
"""Words in front of the folders of a tool."""
_MAX_CHARS: Final = 200
_MAX_ENDINGS: Final = 12
_MAX_FOLDERS: Final = 8


def touch_kinds(args: Sequence[Field], usage: CommandUsage) -> None:
    """Record the files with endings that options name, in each folder that a word may name; if none does, in the
    working directory."""
    found = [(at, *each) for at, each in enumerate(_values(args)) if len(each[1]) <= _MAX_CHARS]
    endings = [(at, option, ending) for at, option, value in found for ending in _endings(option, value)]
    if not endings:
        return
    values = {at for at, _, _ in endings}
    words = [each for at, each in enumerate(args) if at not in values and each.text[:1] != "-"]
    tops = [each for each in words if each.text not in _ACTIONS]
    if not tops and any(option not in _SHORT for _, option, _ in endings):
        tops = [Field(".")]
    globs = tuple(f"*.{each}" for each in dict.fromkeys(ending for _, _, ending in endings[:_MAX_ENDINGS]))
    usage.trees += [UnnamedTree(each, "read", "files", globs) for each in tops[:_MAX_FOLDERS]]


def _values(args: Sequence[Field]) -> Iterator[tuple[str, str]]:
    """Yield for each word the option whose value it may be, and this value."""
    for before, arg in pairwise([Field(""), *args]):
        option, equals, value = arg.text.partition("=")
        if arg.text[:1] == "-":
            yield (option, value) if equals else ("", "")
        else:
            yield before.text, arg.text


def _endings(option: str, value: str) -> Iterator[str]:
    """Yield the endings, without a dot, that the value of an option names."""
    if _KINDS.fullmatch(option):
        pieces = (_ENDING.fullmatch(each) for each in _PIECE.findall(value))
        yield from (each[1] for each in pieces if each)
    elif option in _SHORT and (plain := _PLAIN.fullmatch(value)):
        yield plain[1]
    elif (option in _SHORT or _PATTERNS.fullmatch(option)) and (pattern := _PATTERN.fullmatch(value)):
        yield from filter(None, _BETWEEN.split(pattern[1]))
