"""Escapes in texts of programming languages: `\\x2e`, `\\u002e`, `\\056`, `\\n`."""

import re
import unicodedata
from typing import Final

_ESCAPE: Final = re.compile(
    r"\\(?:(?:x|u|U)(?:\{([0-9a-fA-F]{1,8})\}|(?<=x)([0-9a-fA-F]{2})|(?<=u)([0-9a-fA-F]{4})|(?<=U)([0-9a-fA-F]{8}))|([0-7]{1,3})|(.))",
    re.DOTALL,
)
_NAMED: Final = re.compile(r"\\N\{([A-Z0-9 -]{1,80})\}")
_SPACES: Final = {"n": "\n", "t": "\t", "r": "\n"}
_LAST_CODE_POINT: Final = 0x10FFFF


def unescaped(text: str) -> str:
    """Return a text with its escapes decoded, as `printf` and programming languages do."""
    text = _NAMED.sub(_of_name, text) if "\\N{" in text else text
    return _ESCAPE.sub(lambda found: _SPACES.get(found[6], "") or _unescaped(found), text)


def without_escapes(text: str) -> str:
    """Return a text with its escapes decoded. Escapes for white space become plain letters, such as `n`."""
    return _ESCAPE.sub(_unescaped, text)


def _of_name(found: re.Match[str]) -> str:
    try:
        return unicodedata.lookup(found[1])
    except KeyError:
        return found[0]


def _unescaped(found: re.Match[str]) -> str:
    number = found[1] or found[2] or found[3] or found[4]
    if not number and not found[5]:
        return found[6]
    value = int(number, 16) if number else int(found[5], 8) & 0xFF
    return chr(value) if value <= _LAST_CODE_POINT else ""
