"""entered_folders(): the folders that a program may enter by an option or by a command of its own.

Names that stand elsewhere in the command may be names in these folders: `sqlite3 -cmd '.cd config' ...`.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final

from tools_app.permission.shell.words import Field

_OPTION: Final = re.compile(r"-[CD]|--?(?:cd|chdir|cwd|dir|directory|work(?:ing)?-?dir(?:ectory)?|base-?dir|root)")
_JOINED: Final = re.compile(r"-[CD]([^=-].*)")
_LINE: Final = re.compile(r"(?<![\w-])l?(?:cd|chdir|pushd)[\s(]+['\"]?([\w./~-]+)")
"""A line of a program with commands of its own: `.cd a` of sqlite3, `lcd a` of lftp, `cd a` of gdb."""
_MOST: Final = 8


def entered_folders(args: Sequence[Field]) -> list[Field]:
    """Return the folders, at most eight. Whether they exist is not known."""
    return [Field(each) for each in dict.fromkeys(_folders(args))][:_MOST]


def _folders(args: Sequence[Field]) -> Iterator[str]:
    for before, arg in pairwise([Field(""), *args]):
        option, equals, value = arg.text.partition("=")
        if _OPTION.fullmatch(before.text):
            yield arg.text
        if equals and _OPTION.fullmatch(option):
            yield value
        if joined := _JOINED.fullmatch(arg.text):
            yield joined[1]
        if "cd" in arg.text or "pushd" in arg.text or "chdir" in arg.text:
            yield from _LINE.findall(arg.text)
