"""Compute the output of `printf`, and the part of its input that `read` takes."""

import re
from collections.abc import Sequence
from typing import Final

from tools_app.permission.shell.escapes import unescaped
from tools_app.permission.shell.rehearsal.arithmetic import Nothing, calculated

_DIRECTIVE: Final = re.compile(r"%(?:%|[-+ #0]*\d*(?:\.(\d{1,4}))?([sbqdiucxXofgeG]))")
ZERO_FIRST: Final = re.compile(r"\\0([0-7]{1,3})")
"""The notation of `echo -e`, and of `%b` of `printf`, for the number of a character."""
_MAX_WORDS: Final = 200


def formatted(words: Sequence[str]) -> str:
    """Return the output of `printf`, which repeats its format until all arguments are printed."""
    if not words:
        return ""
    text, rest = "", list(words[1:_MAX_WORDS])
    while True:
        before = len(rest)
        text += _DIRECTIVE.sub(lambda found: _inserted(found, rest), words[0])
        if not rest or len(rest) == before:
            return unescaped(text) if "\\" in words[0] else text


def _inserted(found: re.Match[str], rest: list[str]) -> str:
    if found[0] == "%%":
        return "%"
    word = rest.pop(0) if rest else ""
    word = unescaped(ZERO_FIRST.sub(r"\\\1", word)) if found[2] == "b" else word[:1] if found[2] == "c" else word
    if found[2] in "diuxXofgeG":
        return _as_number(found, word)
    return word[: int(found[1])] if found[1] else word


def _as_number(found: re.Match[str], word: str) -> str:
    """Return a number as `printf` writes it: `0x1`, `010` and `'c` are numbers, too."""
    if re.fullmatch(r"-?\d*\.\d+", word):
        return f"{float(word):.{int(found[1] or 6) % 20}f}" if found[2] == "f" else word
    number = ord(word[1]) if word[:1] in {"'", '"'} and len(word) > 1 else calculated(word, Nothing())
    if number is None:
        return word
    return f"{number:{found[2]}}" if found[2] in "xXo" else str(number)


def part_of_input(option: str, value: str, given: str, line: str) -> str:
    """Return the part of the input that `read` reads.

    With `-n` or `-N`, it is a number of characters; with `-d`, the text before another delimiter; otherwise `line`.
    """
    if option in {"n", "N"} and re.fullmatch(r"\d{1,4}", value):
        return given[: int(value)]
    return given.split(value[0], 1)[0] if option == "d" and value else given if option == "d" else line
