"""Brace expansion: `{a,b}` and `{1..3}`, where its result is certain.

bash expands braces first, on the text. Therefore parameters and substitutions in the word are represented by numbers,
their indexes.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final

Char = tuple[str, bool]
"""A character, and whether it is active (may be a glob, a brace or a tilde)."""
Atom = Char | int
"""A character, or the index of the part of a word that stands here."""

MAX_FIELDS: Final = 64  # words that brace expansion may make of one
_MAX_BRACES: Final = 16  # opening braces in one word
_RANGE: Final = re.compile(
    r"(?:(-?\d{1,6})\.\.(-?\d{1,6})|([a-z])\.\.([a-z])|([A-Z])\.\.([A-Z]))(?:\.\.(-?\d{1,6}))?", re.ASCII
)
_OPEN: Final = ("{", True)
_CLOSE: Final = ("}", True)
_COMMA: Final = (",", True)


class _Uncertain(Exception):
    """It is not certain how bash expands the braces."""


def expand_braces(atoms: Sequence[Atom]) -> list[list[Atom]] | None:
    """Return the words to which bash expands the braces of a word; None if these are uncertain or too many.

    Braces that bash does not expand (`{}`, `HEAD@{1}`) are certain only if they are the only braces in the word.
    """
    opening = atoms.count(_OPEN)
    if not opening:
        return [list(atoms)]
    if opening > _MAX_BRACES or opening != atoms.count(_CLOSE):
        return None
    if opening == 1 and _is_literal(atoms):
        return [list(atoms)]
    try:
        return _expanded(atoms)
    except _Uncertain:
        return None


def _is_literal(atoms: Sequence[Atom]) -> bool:
    start, end = atoms.index(_OPEN), atoms.index(_CLOSE)
    inside = atoms[start + 1 : end]
    return start < end and _COMMA not in inside and ".." not in _text(inside)


def _expanded(atoms: Sequence[Atom]) -> list[list[Atom]]:
    if _OPEN not in atoms:
        return [list(atoms)]
    start = atoms.index(_OPEN)
    end = _matching(atoms, start)
    inside = atoms[start + 1 : end]
    alternatives = [word for each in _alternatives(inside) for word in _expanded(each)]
    rest = _expanded(atoms[end + 1 :])
    if len(alternatives) * len(rest) > MAX_FIELDS:
        raise _Uncertain
    return [[*atoms[:start], *each, *after] for each in alternatives for after in rest]


def _matching(atoms: Sequence[Atom], start: int) -> int:
    depth = 0
    for index in range(start, len(atoms)):
        depth += (atoms[index] == _OPEN) - (atoms[index] == _CLOSE)
        if not depth:
            return index
    raise _Uncertain


def _alternatives(inside: Sequence[Atom]) -> list[Sequence[Atom]]:
    edges = [-1, *_commas(inside), len(inside)]
    if len(edges) == 2:
        return list(_range(inside))
    return [inside[left + 1 : right] for left, right in pairwise(edges)]


def _commas(inside: Sequence[Atom]) -> Iterator[int]:
    depth = 0
    for index, atom in enumerate(inside):
        depth += (atom == _OPEN) - (atom == _CLOSE)
        if atom == _COMMA and not depth:
            yield index


def _range(inside: Sequence[Atom]) -> Iterator[Sequence[Atom]]:
    found = _RANGE.fullmatch(_text(inside))
    if not found:
        raise _Uncertain
    *ends, step = found.groups()
    first, last = (each for each in ends if each is not None)
    by = abs(int(step or 1)) or 1
    if found[1] is None:
        yield from ([(chr(code), False)] for code in _between(ord(first), ord(last), by))
        return
    padded = any(re.match(r"-?0.", each) for each in (first, last))
    width = max(len(first), len(last)) if padded else 0
    yield from ([(char, False) for char in f"{number:0{width}d}"] for number in _between(int(first), int(last), by))


def _between(first: int, last: int, by: int) -> range:
    if abs(last - first) // by >= MAX_FIELDS:
        raise _Uncertain
    return range(first, last + 1, by) if first <= last else range(first, last - 1, -by)


def _text(atoms: Sequence[Atom]) -> str:
    return "".join("\0" if isinstance(atom, int) or not atom[1] else atom[0] for atom in atoms)
