"""Find files whose names a command builds from an operand and a suffix, a mask or a replacement."""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final

from tools_app.permission.names import names
from tools_app.permission.shell.usage import CommandUsage
from tools_app.permission.shell.words import Field

_IN_PLACE: Final = names("perl ruby")
"""Interpreters whose option `-i` changes files and keeps the old ones under names with a suffix or a mask."""
_MASK: Final = re.compile(r"-[A-Za-z0-9]*?i(\S+)")
_SUFFIX: Final = re.compile(r"--(?:\w+-)?(?:suf[a-z]*|ext|extension)")
_SHORT: Final = {"patch": "z", "brotli": "S", "zstd": "S", "lzip": "S", "compress": "S", "indent": "S"}
"""Programs, and the letter of their option for a suffix."""
_FIXED: Final = dict.fromkeys(
    names("lockfile-create lockfile-touch lockfile-remove mutt_dotlock dotlock dotlock.mailutils movemail"), ".lock"
)
"""Programs that always append the same suffix."""
LOCKS_BY_NAME: Final = "unix-dotfile"
"""A value with which SQLite makes a folder with the name of the database and the suffix `.lock`."""
_ANY: Final = "any"
"""A file whose name only the input of a program says."""
_RENAMERS: Final = names("rename rename.ul prename file-rename perl-rename")
_REPLACEMENT: Final = re.compile(r"(?:s|y|tr)([/,|#!:@])(.*)\1(.*)\1\w*")
_IN_EXPRESSIONS: Final = re.compile(r"\\(?=\W)|[\^$]")
_MAX_FILES: Final = 20
_MAX_CHARS: Final = 300  # of a word


def touch_suffixed(name: str, args: Sequence[Field], usage: CommandUsage) -> None:
    """Record the files whose names a command builds from an operand and a suffix, a mask or a replacement."""
    args = [each for each in args if len(each.text) <= _MAX_CHARS]
    files = [each.text for each in args if each.known and each.text[:1] != "-"][:_MAX_FILES]
    found = [each for suffix in _suffixes(name, args) for each in _named(files, suffix)]
    if name in _RENAMERS:
        usage.touch(map(Field, _renamed(files)), "write")
    usage.words += map(Field, found)
    usage.possible += map(Field, found)


def _suffixes(name: str, args: Sequence[Field]) -> Iterator[str]:
    letter = _SHORT.get(name)
    if name in _FIXED:
        yield _FIXED[name]
    if any(LOCKS_BY_NAME in arg.text for arg in args):
        yield ".lock"
    for before, arg in pairwise([Field(""), *args]):
        option, _, value = arg.text.partition("=")
        if name in _IN_PLACE and (mask := _MASK.fullmatch(arg.text)):
            yield mask[1]
        elif value and _SUFFIX.fullmatch(option):
            yield value
        elif _SUFFIX.fullmatch(before.text):
            yield arg.text
        elif letter and (joined := re.fullmatch(rf"-[A-Za-z]*?{letter}(.+)", arg.text)):
            yield joined[1]
        elif letter and re.fullmatch(rf"-[A-Za-z]*{letter}", before.text):
            yield arg.text


def _named(files: Sequence[str], suffix: str) -> Iterator[str]:
    """Yield the new names of files: the old name replaces each `*` of the suffix, or the suffix is appended to the old
    name."""
    for each in (*files, _ANY):
        folder, slash, base = each.rpartition("/")
        yield (
            (suffix.replace("*", base) if "/" in suffix else f"{folder}{slash}{suffix.replace('*', base)}")
            if "*" in suffix
            else f"{each}{suffix}"
        )


def _renamed(words: Sequence[str]) -> Iterator[str]:
    """Yield the new names of files: `rename.ul OLD NEW FILE...`, `rename s/OLD/NEW/ FILE...`."""
    for index, word in enumerate(words):
        if expression := _REPLACEMENT.fullmatch(word):
            old, new = (_IN_EXPRESSIONS.sub("", each) for each in expression.groups()[1:])
            yield from (each.replace(old, new) for each in words[index + 1 :])
            return
    if len(words) > 2:
        yield from (each.replace(words[0], words[1], 1) for each in words[2:])
