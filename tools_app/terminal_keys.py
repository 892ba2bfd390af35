"""The keys that an agent can press in a terminal: their names, the bytes that they send, and how they are shown to
people."""

from collections.abc import Sequence
from typing import Final

NAMED: Final = {
    "Enter": "\r",
    "Tab": "\t",
    "Escape": "\x1b",
    "Space": " ",
    "Backspace": "\x7f",
    "Up": "\x1b[A",
    "Down": "\x1b[B",
    "Right": "\x1b[C",
    "Left": "\x1b[D",
    "Home": "\x1b[H",
    "End": "\x1b[F",
    "PageUp": "\x1b[5~",
    "PageDown": "\x1b[6~",
    "Insert": "\x1b[2~",
    "Delete": "\x1b[3~",
    "F1": "\x1bOP",
    "F2": "\x1bOQ",
    "F3": "\x1bOR",
    "F4": "\x1bOS",
    "F5": "\x1b[15~",
    "F6": "\x1b[17~",
    "F7": "\x1b[18~",
    "F8": "\x1b[19~",
    "F9": "\x1b[20~",
    "F10": "\x1b[21~",
    "F11": "\x1b[23~",
    "F12": "\x1b[24~",
}
_BY_LOWER: Final = {name.lower(): name for name in NAMED}
_CTRL_SIGNS: Final = {"[": "\x1b", "\\": "\x1c", "]": "\x1d", "^": "\x1e", "_": "\x1f", "@": "\0"}


class UnknownKey(ValueError):
    """There is no key of this name."""


def bytes_of_key(name: str) -> str:
    """Return the characters that a terminal sends to its program when the key is pressed. Raises UnknownKey."""
    if known := _BY_LOWER.get(name.lower()):
        return NAMED[known]
    prefix, _, rest = name.partition("-")
    match prefix.lower():
        case "ctrl" if len(rest) == 1 and rest.isascii() and rest.isalpha():
            return chr(ord(rest.lower()) - ord("a") + 1)
        case "ctrl" if rest in _CTRL_SIGNS:
            return _CTRL_SIGNS[rest]
        case "alt" if len(rest) == 1 and rest.isprintable():
            return f"\x1b{rest}"
    raise UnknownKey(
        f"There is no key {name!r}. Keys are {', '.join(NAMED)}, Ctrl-a to Ctrl-z and Alt- with a character."
    )


def typed(text: str, keys: Sequence[str]) -> bytes:
    """Return the bytes that a terminal gets: the text, with Enter for each line end, then the keys.

    Raises UnknownKey.
    """
    lines = text.replace("\r\n", "\n").replace("\n", "\r")
    return (lines + "".join(map(bytes_of_key, keys))).encode("utf-8", "surrogatepass")


def shown(text: str, keys: Sequence[str]) -> str:
    """Return typed input as people see it: the text, then each key in brackets."""
    return " ".join(filter(None, [text, *(f"[{key}]" for key in keys)]))
