"""with_values_of_names(): replace names in code by the literals that were assigned to them."""

import re
from bisect import bisect_right
from typing import Final

from tools_app.permission.shell.literal_code import SIGN

_MAX_NAMES: Final = 30
_LIST: Final = rf"[\[(]\s*{SIGN}(?:\s*,\s*{SIGN}){{0,50}}\s*[\])]"
_PAIRS: Final = rf"\{{\s*{SIGN}\s*(?::|=>)\s*{SIGN}(?:\s*,\s*{SIGN}\s*(?::|=>)\s*{SIGN}){{0,20}}\s*\}}"
_GIVEN: Final = re.compile(
    rf"(?<![\w.%@$-])[$@%]?([A-Za-z_]\w{{0,40}})\s*(?:\+|\.)?:?=\s*({SIGN}|{_LIST}|{_PAIRS})(?=\s*(?:[;,)}}\n#|]|//|$|if\b))"
)
_SEVERAL: Final = re.compile(
    rf"(?<![\w,])[$]?([A-Za-z_]\w{{0,40}}(?:\s*,\s*[$]?[A-Za-z_]\w{{0,40}}){{1,20}})\s*(?:[\])]\s*)?=\s*(?:[\[(]\s*)?"
    rf"({SIGN}(?:\s*,\s*{SIGN})+)"
)
_SET: Final = re.compile(r"(?<![\w.@$-])[$@%]?([A-Za-z_]\w{0,40})\s*:?=(?![=~>])[^;\n]*")
_ADDED: Final = re.compile(rf"(?<![\w.])([$]?[A-Za-z_]\w{{0,40}})\s*[+.]=\s*(?={SIGN})")


def with_values_of_names(code: str) -> str:
    """Return the code with names replaced by their values. The last assignment before a name is used, otherwise the
    first one."""
    code = _ADDED.sub(lambda found: f"{found[1]} = {found[1]} + ", code)
    given: dict[str, list[tuple[int, str]]] = {}
    known = {found.start(1): found for found in _GIVEN.finditer(code)}
    for found in known.values():
        given.setdefault(found[1], []).append((found.end(), found[2]))
    for found in _SET.finditer(code):
        if found.start(1) not in known:  # a value that is not known yet
            given.setdefault(found[1], []).append((found.end(), ""))
    for found in _SEVERAL.finditer(code):
        its = [each.strip().lstrip("$") for each in found[1].split(",")]
        for name, sign in zip(its, re.findall(SIGN, found[2]), strict=False):
            given.setdefault(name, []).append((found.end(), sign))
    given = {name: sorted(values) for name, values in given.items() if any(value for _, value in values)}
    if not given:
        return code
    used = list(given)[:_MAX_NAMES]
    named = re.compile(
        rf"(?:(?<![\w$@%\\])[$@]|(?<![\w.$@%\\])|(?<=\.\.))({'|'.join(used)})\b(?!\s*(?:[+.:]?=(?![=~>])|\(|:\s))"
    )
    return named.sub(lambda found: _value(given[found[1]], found.start(1)) or found[0], code)


def _value(values: list[tuple[int, str]], at: int) -> str:
    """Return the last value assigned to a name before a position; the first value if there is none before it."""
    return values[max(bisect_right(values, (at, "")) - 1, 0)][1]
