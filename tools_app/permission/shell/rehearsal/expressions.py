"""Regular expressions of `grep`, `sed` and `perl`, and replacements of `sed`, as Python reads them."""

import re
from collections.abc import Callable, Mapping
from typing import Final

from tools_app.permission.shell.character_classes import CLASSES

MAX_PATTERN: Final = 60
"""Characters of a regular expression; expressions may be slow."""
MAX_LINE: Final = 300  # characters that expressions are tried on
_TOKEN: Final = re.compile(
    r"(?P<set>\[\^?\]?(?:\[:\w+:\]|\[(?![.=:])|[^\]\[])*\])|(?P<group>\(\?(?:[:=!]|<[=!])?)|\\(?P<escaped>.)|(?P<plain>.)",
    re.DOTALL,
)
_CLASS: Final = re.compile(r"\[:(\w+):\]")
_SPECIAL: Final = frozenset("(){}+?|")
_LETTERS: Final = {"<": r"\b", ">": r"\b", **{each: f"\\{each}" for each in "wWsSbBnt123456789"}}
_OF_PERL: Final = {**_LETTERS, "d": r"\d", "D": r"\D"}
_KEPT: Final = "kept"
_DROPS: Final = "\0"
"""Stands for `\\K` of Perl: what was matched before it is not kept."""
_NEW: Final = re.compile(r"\\(?P<escaped>.)|(?P<found>&)|(?P<plain>[^\\&]+)", re.DOTALL)
_CASES: Final[Mapping[str, Callable[[str], str]]] = {
    "L": str.lower, "U": str.upper, "l": lambda text: text[:1].lower() + text[1:],
    "u": lambda text: text[:1].upper() + text[1:], "Q": str,
}  # fmt: skip
_PLAIN_ESCAPES: Final = {"n": "\n", "t": "\t"}


def compiled(pattern: str, kind: str, *, ignores_case: bool = False) -> re.Pattern[str] | None:
    """Return a regular expression for Python; None if it may be slow or mean something else.

    `kind`: `G` for basic expressions, `E` for extended ones, `P` for those of Perl, `F` for plain texts.
    """
    if len(pattern) > MAX_PATTERN:
        return None
    read = "|".join(map(re.escape, pattern.split("\n"))) if kind == "F" else _read(pattern, kind)
    if read is None or _may_be_slow(read):
        return None
    try:
        return re.compile(read, re.IGNORECASE if ignores_case else 0)
    except re.error:
        return None


def kept(found: re.Match[str]) -> str:
    """Return the text that an expression matches; only the part behind `\\K` if it has that."""
    return found[_KEPT] if _KEPT in found.re.groupindex else found[0]


def _read(pattern: str, kind: str) -> str | None:
    pieces = [_piece(token, kind) for token in _TOKEN.finditer(pattern)]
    read = "".join(filter(None, pieces))
    if None in pieces:
        return None
    if _DROPS not in read:
        return read
    before, _, rest = read.partition(_DROPS)
    if _DROPS in rest or "|" in read or "(" in rest or before.count("(") != before.count(")"):
        return None
    return f"{before}(?P<{_KEPT}>{rest})"


def _piece(token: re.Match[str], kind: str) -> str | None:
    """Return a piece of an expression for Python; None if its meaning is not known."""
    if token["set"] is not None:
        return _set(token["set"], kind)
    if token["group"] is not None:
        return token["group"] if kind == "P" and token["group"] != "(?" else None
    if (escaped := token["escaped"]) is not None:
        if kind == "P" and escaped == "K":
            return _DROPS
        if escaped in _SPECIAL and kind == "G":
            return escaped
        if escaped.isalnum() or escaped in "<>`'":
            return (_OF_PERL if kind == "P" else _LETTERS).get(escaped)
        return re.escape(escaped)
    plain = token["plain"]
    if plain in "[\\":
        return None
    return re.escape(plain) if kind == "G" and plain in _SPECIAL else plain


def _set(text: str, kind: str) -> str | None:
    begin = "[^" if text[1] == "^" else "["
    inner = text[len(begin) : -1]
    if kind == "P" and "\\" in inner:
        return None
    found = _CLASS.sub(lambda its: f"\0{its[1]}\0", inner)
    parts = found.split("\0")
    if any(part not in CLASSES for part in parts[1::2]):
        return None
    quoted = [re.sub(r"([\\\[\]^&~|])", r"\\\1", part) for part in parts]
    quoted[1::2] = [CLASSES[part].replace("[", "\\[") for part in parts[1::2]]
    return f"{begin}{''.join(quoted)}]"


def _may_be_slow(pattern: str) -> bool:
    """Return whether an expression may be slow, because repetitions are nested or many follow each other."""
    return bool(re.search(r"[*+?}]\)[*+?{]", pattern)) or len(re.findall(r"[*+{]", pattern)) > 3


def replacement(new: str, groups: int) -> Callable[[re.Match[str]], str] | None:
    """Return the function that `sed` and `perl` replace a match with; None if the meaning of `new` is not known.

    `groups` is the number of groups of the expression.
    """
    pieces = [(each["escaped"], each["plain"] or "") for each in _NEW.finditer(new)]
    known = {*_CASES, *_PLAIN_ESCAPES, "E"}
    letters = [letter for letter, _ in pieces if letter]
    if any(each.isalpha() and each not in known for each in letters) or (new.endswith("\\") and letters[-1:] != ["\\"]):
        return None
    if any(each.isdecimal() and int(each) > groups for each in letters):
        return None

    def changed(found: re.Match[str]) -> str:
        text = ""
        case: Callable[[str], str] = str
        first: Callable[[str], str] = str
        for letter, plain in pieces:
            if letter in _CASES or letter == "E":
                first = _CASES[letter] if letter in "lu" else first
                case = case if letter in "lu" else _CASES.get(letter, str)
                continue
            number = letter if letter and letter.isdecimal() else "" if letter or plain else "0"
            part = (found[int(number)] or "") if number else _PLAIN_ESCAPES.get(letter or "", letter or plain)
            text += first(case(part)) if part else ""
            first = str if part else first
        return text

    return changed
