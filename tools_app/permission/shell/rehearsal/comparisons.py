"""Decide whether a test of two known words is true: `[ 1 -lt 2 ]`, `[[ a = b ]]`."""

import re
from collections.abc import Callable, Mapping
from typing import Final

from tools_app.permission.shell.rehearsal.arithmetic import Variables, calculated

_COMPARISON: Final = re.compile(
    r"(?:\[\[?|test)\s+(\S+)\s+(-eq|-ne|-lt|-le|-gt|-ge|==?|!=|<|>)\s+(\S+?)(?:\s+\]\]?)?\s*", re.DOTALL
)
_MATCH: Final = re.compile(r"\[\[\s+(.{1,200}?)\s+=~\s+(.{1,50}?)\s+\]\]", re.DOTALL)
_MAX_REPEATS: Final = 2  # in an expression that is compared, so that it takes little time
_NUMBERS: Final[Mapping[str, Callable[[int, int], bool]]] = {
    "-eq": lambda a, b: a == b, "-ne": lambda a, b: a != b, "-lt": lambda a, b: a < b, "-le": lambda a, b: a <= b,
    "-gt": lambda a, b: a > b, "-ge": lambda a, b: a >= b,
}  # fmt: skip
_TEXTS: Final[Mapping[str, Callable[[str, str], bool]]] = {
    "=": lambda a, b: a == b, "==": lambda a, b: a == b, "!=": lambda a, b: a != b, "<": lambda a, b: a < b,
    ">": lambda a, b: a > b,
}  # fmt: skip


def compared(text: str, variables: Variables) -> bool | None:
    """Return whether a test with expanded words holds: `true`, `false` or a comparison of two words. None if that is
    not known."""
    if text.strip() in {"true", ":", "false"}:
        return text.strip() != "false"
    if not (found := _COMPARISON.fullmatch(text)):
        return None
    first, sign, second = found.groups()
    if sign in _TEXTS:
        return _TEXTS[sign](first, second)
    numbers = calculated(first, variables), calculated(second, variables)
    return None if None in numbers else _NUMBERS[sign](numbers[0] or 0, numbers[1] or 0)


def matched_parts(text: str) -> list[str]:
    """Return the values of BASH_REMATCH after `[[ text =~ expression ]]`; nothing if they are not certain."""
    found = _MATCH.fullmatch(" ".join(text.split())) if "=~" in text else None
    if not found or sum(map(found[2].count, "*+?{")) > _MAX_REPEATS:
        return []
    try:
        matched = re.search(re.sub(r"['\"]", "", found[2]), found[1].strip("'\""))
    except re.error:
        return []
    return [matched[0], *(each or "" for each in matched.groups())] if matched else []
