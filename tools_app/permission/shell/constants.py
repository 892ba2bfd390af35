"""folded(): code in which texts that are calculated from literals are replaced by literals: `"vne."[::-1]`, `chr(46)`.

The code may be in any language, and functions are recognised by names that several languages share. The results are
guesses: they are used for rules that ask or deny, and never allow anything.
"""

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from tools_app.permission.shell.constant_names import with_values_of_names
from tools_app.permission.shell.constant_patterns import Rule
from tools_app.permission.shell.constant_rules import rules
from tools_app.permission.shell.literal_code import Literals

MAX_CHARS: Final = 10_000  # of a code
_MAX_ROUNDS: Final = 12
_CALCULATES: Final = re.compile(r"['\"`]|\bcha?r\b|\bbyte|Buffer|String\.from|\.pack\b|to_bytes|\?[\w./](?!\w)")
_REPLACES: Final = re.compile(r"\.replace\b")
_COUNTS: Final = re.compile(r"\bsubstr\b|\bstring\.sub\b|:sub\(")


def may_calculate(code: str) -> bool:
    """Return whether code may calculate texts: it contains quotes, or functions that make texts from numbers."""
    return _CALCULATES.search(code) is not None


@lru_cache(maxsize=64)
def folded(code: str) -> Sequence[str]:
    """Return the code with calculated texts replaced by literals; nothing if no text is calculated.

    There may be several results, because languages count characters from 0 or from 1, and replace the first occurrence
    of a text or all.
    """
    code = code[:MAX_CHARS]
    if not may_calculate(code):
        return ()
    literals = Literals()
    read = literals.read(code)
    origins = (0, 1) if _COUNTS.search(read) else (0,)
    replaces = (False, True) if _REPLACES.search(read) else (False,)
    its = [rules(origin, first_only=first_only) for origin in origins for first_only in replaces]
    found = dict.fromkeys(_settled(read, literals, each) for each in its)
    return tuple(written for each in found if (written := literals.written(each)) != code)


def _settled(code: str, literals: Literals, its: Sequence[Rule]) -> str:
    for _ in range(_MAX_ROUNDS):
        before = code
        for rule in its:
            code = rule.applied(code, literals)
        code = with_values_of_names(code)
        if code == before:
            break
    return code
