"""Simulates `grep`: the lines that an expression matches, or what it matches in them."""

import re
from typing import Final

from tools_app.permission.shell.rehearsal.expressions import MAX_LINE, compiled, kept
from tools_app.permission.shell.rehearsal.guess import Guess
from tools_app.permission.shell.rehearsal.options import Given

_MAX_LINES: Final = 200


def matching(given: Given, text: str, kind: str) -> str:
    """Return the output of `grep`; a guess if the meaning of an expression is not known.

    `kind` is the kind of its expressions if no option names another one.
    """
    options = given.options
    kind = next((each for each in "PFEG" if each in options), kind)
    patterns = [value for each, value in given.pairs if each == "e"] or list(given.operands[:1])
    read = [compiled(each, kind, ignores_case="i" in options) for each in "\n".join(patterns).split("\n")[:20]]
    expressions = [each for each in read if each is not None]
    lines = text.splitlines()
    if len(expressions) < len(read) or len(lines) > _MAX_LINES or any(len(each) > MAX_LINE for each in lines):
        return Guess(text)
    if "o" in options and "v" not in options:
        return "".join(f"{each}\n" for line in lines for expression in expressions for each in _parts(expression, line))
    whole = "x" in options
    return "".join(
        f"{line}\n"
        for line in lines
        if any(each.fullmatch(line) if whole else each.search(line) for each in expressions) is not ("v" in options)
    )


def _parts(expression: re.Pattern[str], line: str) -> list[str]:
    return [part for each in expression.finditer(line) if (part := kept(each))]
