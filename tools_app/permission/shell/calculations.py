"""Check whether an arithmetic expression is plain: it sets nothing, and evaluating it cannot fail.

An error in an expression ends the whole line. bash then continues with the next line and skips the rest of the failed
one.
"""

import re
from typing import Final

_TOKEN: Final = re.compile(
    r"\s*(?:(?P<operand>(?:0|[1-9][0-9]{0,15})(?![\w#.@])|[A-Za-z_][A-Za-z0-9_]*(?![\w\[])|\x00)"
    r"|(?P<binary>&&|\|\||[=!<>]=|[<>](?![<>=])|\*(?![*=])|[-+](?![-+=])|[/%](?=\s*[1-9]))"
    r"|(?P<open>\()|(?P<close>\)))",
    re.ASCII,
)


def is_plain(expression: str) -> bool:
    r"""Return whether the expression consists of operands, brackets and operators that cannot fail.

    `\0` stands for an operand that is a number. A division is plain only if the divisor is a number other than zero.
    """
    position = depth = 0
    operand_is_next = True
    end = len(expression.rstrip())
    while position < end:
        found = _TOKEN.match(expression, position)
        if found is None:
            return False
        position = found.end()
        kind = found.lastgroup
        if (kind in {"operand", "open"}) != operand_is_next:
            return False
        depth += {"open": 1, "close": -1}.get(kind or "", 0)
        if depth < 0:
            return False
        operand_is_next = kind in {"binary", "open"}
    return not (operand_is_next or depth)
