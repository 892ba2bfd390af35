"""Globs as ripgrep and .gitignore understand them, as regular expressions.

`*` and `?` stop at a slash, `**` does not, `{a,b}` is either, `[...]` is a set. A pattern without a slash matches a
name at any depth. (ripgrep's own --glob cannot be used: it overrides ignore files.)
"""

import re
from typing import Final

from .errors import REFUSED, Refusal

LONGEST: Final = 1000


def compile_glob(pattern: str) -> re.Pattern[str]:
    """Matches whole paths relative to the searched directory."""
    pattern = pattern.removeprefix("./")
    if len(pattern) > LONGEST:
        raise Refusal(REFUSED, "This glob is too long.")
    anchored = pattern.startswith("/")
    pattern = pattern.strip("/")
    floating = "(?:.*/)?" if not anchored and "/" not in pattern else ""
    try:
        return re.compile(floating + _translate(pattern), re.DOTALL)
    except re.error as error:
        raise Refusal(REFUSED, f"This is not a glob: {pattern} ({error})") from error


def _translate(pattern: str) -> str:
    parts: list[str] = []
    position = depth = 0
    while position < len(pattern):
        text, width, depth = _translate_next(pattern, position, depth)
        parts.append(text)
        position += width
    if depth:
        raise Refusal(REFUSED, f"A brace is not closed: {pattern}")
    return "".join(parts)


def _translate_next(pattern: str, position: int, depth: int) -> tuple[str, int, int]:
    """One element as a regular expression, how wide it was, how many braces are open after it."""
    rest = pattern[position:]
    if rest.startswith("**/"):
        return "(?:.*/)?", 3, depth
    if rest.startswith("**"):
        return ".*", 2, depth
    if rest[0] == "[" and (closing := rest.find("]", 2)) > 0:
        return _translate_set(rest[1:closing]), closing + 1, depth
    if rest[0] == "\\" and len(rest) > 1:
        return re.escape(rest[1]), 2, depth
    if rest[0] == "}" and depth:
        return ")", 1, depth - 1
    if rest[0] == "," and depth:
        return "|", 1, depth
    simple = {"*": "[^/]*", "?": "[^/]", "{": "(?:"}.get(rest[0], re.escape(rest[0]))
    return simple, 1, depth + (rest[0] == "{")


def _translate_set(inner: str) -> str:
    negated = inner[0] in "!^"
    members = (inner[1:] if negated else inner).replace("\\", "\\\\").replace("[", "\\[").replace("&&", "&\\&")
    return f"(?!/)[{'^' if negated else ''}{members}]"
