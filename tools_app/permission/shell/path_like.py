"""Parts of words that look like paths, for the arguments of commands that are not known."""

import re
from collections.abc import Iterator
from typing import Final

from tools_app.permission.shell.words import Field

_MAX_INSPECTED_CHARS: Final = 1000
"""Longer words are not searched for paths. They count as unknown."""

_PATHLIKE: Final = re.compile(
    r"^(?:[A-Za-z_][\w\-]*+=|-[\w\-]++=|-[A-Za-z]|@|[\w.\-]++=@|file://)*+(?=/|~|\.\.?(?:/|$))"
)
_URL: Final = re.compile(r"^(?:--?[\w\-]+=|-\w)?[A-Za-z][A-Za-z0-9+.\-]*://|^[\w.\-]+@[\w.\-]+:")


def path_like_parts(current: Field) -> Iterator[Field]:
    """Yield the parts of a word that look like paths. Used for the arguments of unknown commands."""
    text = current.text
    if len(text) > _MAX_INSPECTED_CHARS:
        if any(sign in text for sign in "/~."):
            yield Field(text, known=False, source=current.source)
        return
    if _URL.match(text) and "file://" not in text:
        return
    for piece in re.split(r"[:,]", text) if ("/" in text and (":" in text or "," in text)) else [text]:
        rest = piece[found.end() :] if (found := _PATHLIKE.match(piece)) else piece.rpartition("=")[2]
        if (
            rest.startswith(("/", "~", "./", "../"))
            or rest in {".", ".."}
            or ("/" in rest and not rest.startswith("-"))
        ) or (piece == text and not text.startswith("-") and rest.startswith(".")):
            yield with_text(current, rest)


def with_text(current: Field, text: str) -> Field:
    """Return a part of a word as a word of its own; what is not known of the word is not known of the part."""
    pattern = text if current.pattern is not None else None
    return Field(text, current.known, current.split, current.number, pattern, current.source)
