"""named_files(): files that code in an incomplete text may name: scripts of sed, here-documents, texts in quotes.

Only what is written can be found. Names that a program puts together are found if they are literals that stand side by
side, and if they are written with escapes.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from tools_app.permission.shell import paths
from tools_app.permission.shell.names import names
from tools_app.permission.shell.words import Field

MAX_PIECES: Final = 5_000
"""If there are more, the texts count as if they named the whole workspace."""
MAX_CHARS: Final = 300  # of one

_ENDS: Final = re.compile(r"[\s'\"`;|&(){}\[\]=<>!,:@#^$%+]+")
_JOINED: Final = re.compile(r"(['\"])\s*(?:\+|\.{1,2}|&)?\s*(['\"])")
_ESCAPE: Final = re.compile(
    r"\\(?:(?:x|u|U)(?:\{([0-9a-fA-F]{1,8})\}|(?<=x)([0-9a-fA-F]{2})|(?<=u)([0-9a-fA-F]{4})|(?<=U)([0-9a-fA-F]{8}))|([0-7]{1,3})|(.))",
    re.DOTALL,
)
_LAST_CODE_POINT: Final = 0x10FFFF
_SED: Final = names("sed gsed")
_SED_FILE: Final = re.compile(r"[rRwW](?=\S)")
_MAX_SED_FILES: Final = 500
_NO_FILE: Final = frozenset({"", ".", "..", "/", "HEAD"})
"""`HEAD` is nearly always a revision. A file of this name does nothing where there is a `.git`."""


def codes_of(name: str, args: Iterable[Field]) -> Iterator[str]:
    """Yield the words of a command that may be code."""
    for arg in args:
        yield arg.text
        if name.rpartition("/")[2] in _SED:
            ends = [each.end() for each in _SED_FILE.finditer(arg.text)][:_MAX_SED_FILES]
            yield "\n".join(arg.text[end : end + MAX_CHARS].partition("\n")[0] for end in ends)


def named_files(codes: Iterable[str], folders: Sequence[str], home: str) -> Iterator[str]:
    """Yield the absolute paths that the texts may name, in each of the folders."""
    pieces = dict.fromkeys(each for code in codes for each in _pieces(code))
    if len(pieces) > MAX_PIECES:
        yield from folders
        return
    for piece in pieces:
        for folder in folders if not piece.startswith("~/") else (home,):
            yield paths.normal(paths.join(folder, piece.removeprefix("~/")))


def _pieces(code: str) -> Iterator[str]:
    for text in dict.fromkeys(_readings(code)):
        for piece in _ENDS.split(text):
            if piece not in _NO_FILE and len(piece) <= MAX_CHARS:
                yield piece
                if piece[0] == "-":
                    yield piece.lstrip("-") or "-"


def _readings(code: str) -> Iterator[str]:
    """Yield a text as it is, and as a language reads it: literals that stand side by side are one, without escapes."""
    yield code
    joined = _JOINED.sub("", code)
    if "\\" in joined:
        joined = _ESCAPE.sub(_unescaped, joined)
    if joined != code:
        yield joined
    yield joined.replace("'", "").replace('"', "")


def _unescaped(found: re.Match[str]) -> str:
    number = found[1] or found[2] or found[3] or found[4]
    if not number and not found[5]:
        return found[6]
    value = int(number, 16) if number else int(found[5], 8)
    return chr(value) if value <= _LAST_CODE_POINT else ""
