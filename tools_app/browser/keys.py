"""The keys that an agent can press in a page: their names, and how the DevTools protocol describes them. Pure."""

from collections.abc import Mapping
from typing import Any, Final

_CODES: Final[Mapping[str, tuple[str, str, int]]] = {
    "Enter": ("Enter", "Enter", 13),
    "Tab": ("Tab", "Tab", 9),
    "Escape": ("Escape", "Escape", 27),
    "Space": (" ", "Space", 32),
    "Backspace": ("Backspace", "Backspace", 8),
    "Up": ("ArrowUp", "ArrowUp", 38),
    "Down": ("ArrowDown", "ArrowDown", 40),
    "Right": ("ArrowRight", "ArrowRight", 39),
    "Left": ("ArrowLeft", "ArrowLeft", 37),
    "Home": ("Home", "Home", 36),
    "End": ("End", "End", 35),
    "PageUp": ("PageUp", "PageUp", 33),
    "PageDown": ("PageDown", "PageDown", 34),
    "Insert": ("Insert", "Insert", 45),
    "Delete": ("Delete", "Delete", 46),
    **{f"F{number}": (f"F{number}", f"F{number}", 111 + number) for number in range(1, 13)},
}
"""The key, its place on the keyboard and its number, by the names of `tools_app.terminal_keys`."""
_BY_LOWER: Final = {name.lower(): name for name in _CODES} | {
    "arrowup": "Up", "arrowdown": "Down", "arrowright": "Right", "arrowleft": "Left",
}  # fmt: skip
_TEXTS: Final = {"Enter": "\r", "Space": " "}
_MODIFIERS: Final = {"alt": 1, "ctrl": 2, "control": 2, "meta": 4, "shift": 8}


class UnknownKey(ValueError):
    """There is no key of this name."""


def key_event(name: str) -> dict[str, Any]:
    """Return the parameters of a key for `Input.dispatchKeyEvent`. Modifiers come first, as in `Ctrl-Shift-k`. Raises
    UnknownKey."""
    *modifiers, last = [*name[:-1].split("-"), "-"] if name.endswith("-") else name.split("-")
    bits = 0
    for modifier in filter(None, modifiers):
        if modifier.lower() not in _MODIFIERS:
            raise UnknownKey(_unknown(name))
        bits |= _MODIFIERS[modifier.lower()]
    if known := _BY_LOWER.get(last.lower()):
        key, code, number = _CODES[known]
        text = "" if bits & 7 else _TEXTS.get(known, "")
    elif len(last) == 1 and last.isprintable():
        key, code, number = last, _code(last), ord(last.upper()) if last.isascii() else 0
        text = "" if bits & 7 else last
    else:
        raise UnknownKey(_unknown(name))
    typed = {"text": text} if text else {}
    return {"key": key, "code": code, "windowsVirtualKeyCode": number, "modifiers": bits, **typed}


def _code(character: str) -> str:
    if character.isascii() and character.isalpha():
        return f"Key{character.upper()}"
    return f"Digit{character}" if character.isascii() and character.isdigit() else ""


def _unknown(name: str) -> str:
    return (
        f"There is no key {name!r}. Keys are {', '.join(_CODES)} and single characters, after Ctrl-, Alt-, Shift- or "
        "Meta- if needed."
    )
