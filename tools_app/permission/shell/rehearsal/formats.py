"""Compute the output of `echo` and `printf`, and the part of its input that `read` takes."""

import re
from collections.abc import Sequence
from typing import Final

from tools_app.permission.shell.rehearsal.arithmetic import Nothing, calculated

_NUMBERED: Final = r"x\{([0-9a-fA-F]{1,8})\}|x([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{1,4})|U([0-9a-fA-F]{1,8})"
_ESCAPE: Final = re.compile(rf"\\(?:0?([0-7]{{1,3}})|{_NUMBERED}|(.))", re.DOTALL)
"""An escape of `echo -e`, and of `%b` of `printf`."""
_PIECE: Final = re.compile(
    rf"\\(?:([0-7]{{1,3}})|{_NUMBERED}|(.))"
    r"|%(?:(?P<percent>%)|(?P<flags>[-+ #0']{0,5})(?P<size>\*|\d{0,4})(?:\.(?P<cut>\*|-?\d{0,4}))?"
    r"(?:(?:hh?|ll?|[Ljtz])?(?P<kind>[sbqQdiucxXofgeGEFaA])|\((?P<time>[^()]*)\)T)|(?P<other>[a-zA-Z]?))",
    re.DOTALL,
)
"""An escape or a directive in a format of `printf`. `other`: a directive that is not known."""
_OF_TIME: Final = re.compile(r"%(?:([%nt])|[-_0^#+]*\d*[EO]?:{0,3}.?)", re.DOTALL)
_LETTERS: Final = {
    "a": "\a", "b": "\b", "e": "\x1b", "E": "\x1b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v", "\\": "\\",
    '"': '"', "'": "'", "?": "?",
}  # fmt: skip
_LAST_CODE_POINT: Final = 0x10FFFF
_MAX_WORDS: Final = 200
_MAX_SIZE: Final = 200
_MAX_CHARS: Final = 5_000


def echoed(text: str) -> tuple[str, bool]:
    """Return a text with its escapes decoded, as `echo -e` prints it, and whether `\\c` ends the output."""
    begins, ends, _ = text.partition("\\c") if "\\c" in text else (text, "", "")
    while ends and (len(begins) - len(begins.rstrip("\\"))) % 2:  # the backslash is escaped itself
        more, ends, _ = text[len(begins) + 2 :].partition("\\c")
        begins = f"{begins}\\c{more}"
    return _ESCAPE.sub(lambda found: _character(found.groups()), begins), bool(ends)


def _character(groups: Sequence[str | None]) -> str:
    """Return the character of an escape: the groups are its octal digits, hexadecimal digits, and its letter."""
    octal, *digits, letter = groups
    number = int(octal, 8) & 0xFF if octal else next((int(each, 16) for each in digits if each), None)
    if number is None:
        return _LETTERS.get(letter or "", f"\\{letter}")
    return chr(number) if number <= _LAST_CODE_POINT else ""


def formatted(words: Sequence[str], any_text: str = "") -> str:
    """Return the output of `printf`, which uses its format again as long as there are words.

    `any_text` stands for what a directive prints that is not known.
    """
    if not words:
        return ""
    printer = _Printer(words[1:_MAX_WORDS], any_text)
    text = ""
    while len(text) <= _MAX_CHARS:
        before = len(printer.rest)
        text += _PIECE.sub(printer.inserted, words[0])
        if printer.ended or not printer.rest or len(printer.rest) == before:
            break
    return text


class _Printer:
    """Replaces the escapes and directives of a format. `rest` has the words that no directive has taken."""

    def __init__(self, words: Sequence[str], any_text: str) -> None:
        self.rest = list(words)
        self.ended = False
        self._any_text = any_text

    def inserted(self, found: re.Match[str]) -> str:
        if self.ended:
            return ""
        if found[0][:1] == "\\":
            return _character(found.groups()[:6])
        if found["percent"] is not None or found["other"] is not None:
            return "%" if found["percent"] else self._any_text
        size, cut = (self._size(found[each]) for each in ("size", "cut"))
        text = self._text(found, cut)
        left = "-" in found["flags"] or (size or 0) < 0
        return text.ljust(min(abs(size or 0), _MAX_SIZE)) if left else text.rjust(min(size or 0, _MAX_SIZE))

    def _size(self, written: str | None) -> int | None:
        """Return a size in a directive; `*` takes the next word."""
        if written == "*":
            written = self.rest.pop(0) if self.rest else "0"
            return int(written) if re.fullmatch(r"-?\d{1,4}", written) else 0
        return int(written or 0) if written is not None and written != "-" else None

    def _text(self, found: re.Match[str], cut: int | None) -> str:
        word = self.rest.pop(0) if self.rest else ""
        if found["time"] is not None:
            return (
                _OF_TIME.sub(lambda its: {"%": "%", "n": "\n", "t": "\t"}.get(its[1], self._any_text), found["time"])
                or self._any_text
            )
        kind = found["kind"]
        if kind in "diuxXofgeGEFaA":
            return _as_number(kind, word, cut)
        if kind == "b":
            word, self.ended = echoed(word)
        word = word[:1] if kind == "c" else word
        return word if cut is None or cut < 0 else word[:cut]


def _as_number(kind: str, word: str, cut: int | None) -> str:
    """Convert an argument of `printf` to a number and format it as `printf` does: `0x1`, `010` and `'c` are numbers,
    too."""
    if re.fullmatch(r"-?\d*\.\d+", word):
        return f"{float(word):.{(6 if cut is None else abs(cut)) % 20}f}" if kind == "f" else word
    number = ord(word[1]) if word[:1] in {"'", '"'} and len(word) > 1 else calculated(word, Nothing())
    if number is None:
        return word
    return f"{number:{kind}}" if kind in "xXo" else str(number)


def part_of_input(option: str, value: str, given: str, line: str) -> str:
    """Return the part of the input that `read` reads.

    With `-n` or `-N`, it is a number of characters; with `-d`, the text before another delimiter; otherwise `line`.
    """
    if option in {"n", "N"} and re.fullmatch(r"\d{1,4}", value):
        return given[: int(value)]
    return given.split(value[0], 1)[0] if option == "d" and value else given if option == "d" else line
