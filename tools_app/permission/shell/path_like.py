"""Find the parts of words that look like paths, for the arguments of unknown commands."""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final

from tools_app.permission.shell.paths import normal
from tools_app.permission.shell.words import UNKNOWN, Field
from tools_app.secret_paths import is_secret, is_steering

_MAX_INSPECTED_CHARS: Final = 1000
"""Longer words are not searched for paths. They count as unknown."""

_PATHLIKE: Final = re.compile(
    r"^(?=((?:[A-Za-z_][\w\-]*+=|-[\w\-]++=|-[A-Za-z]|@|[\w.\-]++=@|file://)*))\1(?=/|~|\.\.?(?:/|$))"
)
"""The text in front of the path can be read in only one way, because a lookahead is not tried again. (`*+` of a group
would say the same, but is wrong before Python 3.11.5.)"""
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


_LISTED: Final = re.compile(r"[:,;]")
_MARKED: Final = re.compile(r"(?:.*=)?[@%<](.+)", re.DOTALL)
"""A name behind a sign with which some programs read its file: `@file`, `x=%file`."""
_IN_LISTS: Final = re.compile(r"[|\]]")
_OPTIONS_BEFORE: Final = re.compile(r"^\[[^\]]*\]")
"""What `ffmpeg` has in front of each file of a list: `[f=wav]a/b|[f=mp3]c`."""
_QUOTED_GLOB: Final = re.compile(r"[*?\[]")


def names_in_parts(word: Field) -> list[Field]:
    """Return what else the word of a command that no table describes may name, although a part of it looks like a
    path: the files of a glob in quotes, a folder in front of a colon (`internal:/x`), a file behind a sign or in a list
    (`[f=wav]a/b|c`)."""
    text = word.text
    if len(text) > _MAX_INSPECTED_CHARS or word.pattern is not None or not word.known or _URL.match(text):
        return []
    pieces = [each.rpartition("=")[2] for each in _LISTED.split(text)] if _LISTED.search(text) else []
    found = [piece for piece in pieces if piece and "/" not in piece]
    found += [_OPTIONS_BEFORE.sub("", each) for each in text.split("|")] if _IN_LISTS.search(text) else []
    found += [text.rpartition("=")[2]] if _QUOTED_GLOB.search(text) else []
    found += [marked[1]] if (marked := _MARKED.fullmatch(text)) else []
    return [Field(each) for each in found]


_SEPARATORS: Final = re.compile(r"[=:,;@%<>|&()\[\]{}'\"`\\\s]+")


CODE: Final = re.compile(r"[('\"]")
"""Characters of texts that are not names themselves, although they may contain names."""
_CODE_OF_CONSOLE: Final = re.compile(r"\s*(?:!|\\!|\.[a-z]+ |:[a-z!])|.*\b(?:system|shell|source)\b", re.DOTALL)
"""Commands of consoles, which need no such sign: `.shell x`, `!x`, `system x`."""
_EVALUATES: Final = re.compile(
    r"-[cepE]|-(?:pe|ne|ex|cmd)|--?(?:eval|exec(?:ute)?|expr(?:ession)?|print|command|cmd|batch)|eval|exec"
)
"""Options and actions of interpreters, behind which code stands: `tsx -e 'f()'`."""
_CALL: Final = re.compile(r"\w[ \t]*[(`]|^[ \t]*(?:!|\\!|\.[a-z]+ )|\b(?:system|shell|exec)\b", re.MULTILINE)


OPTION_ENDS: Final = (2, 3, 4)
"""Positions at which an option may end whose value is joined to it: `-ofile`, and `-of` or `-out` of some programs."""


def gives_code(args: Sequence[Field]) -> bool:
    """Return whether an option such as `-e` has a value that is code."""
    joined = ((each.text.partition("=")[0], each.text.partition("=")[2]) for each in args if "=" in each.text)
    pairs = (*((one.text, each.text) for one, each in pairwise(args)), *joined)
    return any(_EVALUATES.fullmatch(option) and _is_code(text) for option, text in pairs)


def _is_code(text: str) -> bool:
    return bool(CODE.search(text) or _CODE_OF_CONSOLE.match(text))


def has_calls(text: str) -> bool:
    """Return whether a text that a program gets as its input may be code that calls or runs something."""
    return _CALL.search(text) is not None


def name_parts(word: Field) -> Iterator[tuple[str, bool]]:
    """Yield the parts of a word that may name a file, and whether each looks like a path. Yields nothing for words such
    as `--`.

    A part looks like a path if it contains a slash or a dot, or if it is the value of an option (`--log=x`).
    """
    text = word.text.replace(UNKNOWN, "") if word.pattern is None else word.pattern
    if len(text) > _MAX_INSPECTED_CHARS:
        return
    plain = text.replace("\\/", "/")  # in code, a slash may stand behind a backslash
    first, *values = [part for part in _SEPARATORS.split(plain) if part] or [text]
    joined = [first[end:] for end in OPTION_ENDS if first[:1] == "-" != first[1:2]]
    whole = "" if CODE.search(text) else text
    for part in dict.fromkeys((whole, first, *joined, *values)):
        name = part.lstrip("-")
        if name not in {"", ".", ".."}:
            yield name, part in values or (part[0] != "-" and ("/" in name or "." in name))


def is_protected(path: str, root: str, *, secrets_only: bool) -> bool:
    """Return whether presets protect a file with this absolute path, by its name."""
    place = normal(path)
    shown = place.removeprefix(f"{root.rstrip('/')}/")
    return is_secret(shown) or (is_steering(shown) and not secrets_only)


def with_text(current: Field, text: str) -> Field:
    """Return a part of a word as a word of its own. Its value counts as known only if the value of the whole word is
    known."""
    pattern = text if current.pattern is not None else None
    known, found = current.known, current.globs_of_found
    return Field(text, known, current.split, current.number, pattern, current.source, globs_of_found=found)
