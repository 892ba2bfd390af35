"""Translate globs, as ripgrep and .gitignore define them, into regular expressions.

`*` and `?` do not match a slash, `**` does, `{a,b}` matches either part, `[...]` one character of a set. A pattern
without a slash matches a name at any depth. (ripgrep's own --glob cannot be used, because it overrides ignore files.)
"""

import re
from typing import Final

from .errors import REFUSED, Refusal

MAX_PATTERN_CHARS: Final = 1000


def compile_glob(pattern: str) -> re.Pattern[str]:
    """Return an expression that matches whole paths relative to the searched directory.

    Raises Refusal if the glob is invalid or too long.
    """
    pattern = pattern.removeprefix("./")
    if len(pattern) > MAX_PATTERN_CHARS:
        raise Refusal(REFUSED, f"A glob must have at most {MAX_PATTERN_CHARS} characters.")
    anchored = pattern.startswith("/")
    pattern = pattern.strip("/")
    floating = "(?:.*/)?" if not anchored and "/" not in pattern else ""
    try:
        return re.compile(floating + _translate(pattern), re.DOTALL)
    except re.error as error:
        raise Refusal(REFUSED, f"This is not a valid glob: {pattern} ({error})") from error


def _translate(pattern: str) -> str:
    parts: list[str] = []
    position = depth = 0
    while position < len(pattern):
        text, width, depth = _translate_next(pattern, position, depth)
        parts.append(text)
        position += width
    if depth:
        raise Refusal(REFUSED, f"This glob has an unclosed brace: {pattern}")
    return "".join(parts)


def _translate_next(pattern: str, position: int, depth: int) -> tuple[str, int, int]:
    """Translate one element of a glob. Returns its regular expression, its number of characters in the pattern, and the
    number of open braces after it."""
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
