r"""Decoder for bash's ANSI-C quoting, `$'...'` (bash manual, "ANSI-C Quoting")."""

import re
from typing import Final

_SIMPLE: Final = {
    "a": "\a", "b": "\b", "e": "\x1b", "E": "\x1b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v",
    "\\": "\\", "'": "'", '"': '"', "?": "?",
}  # fmt: skip
_ESCAPE: Final = re.compile(
    r"\\(?:([0-7]{1,3})|x([0-9A-Fa-f]{1,2})|u([0-9A-Fa-f]{1,4})|U([0-9A-Fa-f]{1,8})|(.))", re.DOTALL
)
_CHUNK: Final = re.compile(r"[^\\']+")


def decode(text: str, start: int, end: int) -> tuple[str, int] | None:
    """Return the decoded text of the quote that opens at `start`, and the position after it.

    Returns None if the result is uncertain: the quote is not closed, or contains a control escape, a NUL (where bash
    ends the text) or an escape for a character outside ASCII.
    """
    position = start + 1
    pieces: list[str] = []
    while position < end and text[position] != "'":
        found = _CHUNK.match(text, position, end) or _ESCAPE.match(text, position, end)
        piece = _character(found) if found else None
        if found is None or piece is None:
            return None
        pieces.append(piece)
        position = found.end()
    return ("".join(pieces), position + 1) if position < end else None


def _character(found: "re.Match[str]") -> str | None:
    if found.re is _CHUNK:
        return found[0]
    octal, hexadecimal, short, long, simple = found.groups()
    if simple:
        return _SIMPLE.get(simple)
    code = int(octal, 8) & 0xFF if octal else int(hexadecimal or short or long, 16)
    return chr(code) if 0 < code < 128 else None
