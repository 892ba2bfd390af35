"""Evaluate expressions in `{{ }}`: sums of texts, and functions of Go's and Jinja's templates."""

import base64
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Final

_TOKEN: Final = re.compile(r"\s*(?:\"((?:\\.|[^\"\\])*)\"|`([^`]*)`|'([^']*)'|([.$]?[\w.]+)|([|()+~,]))")
_MAX_TOKENS: Final = 30
LookUp = Callable[[str], str | None]


def evaluated(expression: str, look_up: LookUp, unknown: str) -> str | None:
    """Return the value of an expression or of a pipeline of functions; None if the expression cannot be parsed.

    A part that is not understood counts as unknown.
    """
    tokens = list(_TOKEN.finditer(expression))[:_MAX_TOKENS]
    if "".join(each[0] for each in tokens).strip() != expression.strip() or not tokens:
        return None
    value: str | None = None
    stage: list[re.Match[str]] = []
    for each in [*tokens, None]:
        if each is not None and each[5] != "|":
            stage.append(each)
            continue
        value = _stage(stage, value, look_up, unknown)
        stage = []
    return value


def _stage(tokens: Sequence[re.Match[str]], piped: str | None, look_up: LookUp, unknown: str) -> str:
    tokens = [each for each in tokens if each[5] not in {"(", ")", ","}]
    name = tokens[0][4] if tokens else None
    function = _FUNCTIONS.get(name or "")
    parts = [_text(each, look_up, unknown) for each in (tokens[1:] if function else tokens) if each[5] is None]
    if function:
        try:
            return function([*parts, *([piped] if piped is not None else [])])
        except (IndexError, ValueError):
            return unknown
    if piped is not None:
        return unknown
    is_sum = len(parts) == 1 or any(each[5] in {"+", "~"} for each in tokens)
    return "".join(parts) if is_sum else unknown


def _text(token: re.Match[str], look_up: LookUp, unknown: str) -> str:
    if token[4] is not None:
        found = look_up(token[4])
        return unknown if found is None else found
    return next((each for each in token.groups()[:3] if each is not None), "")


def _formatted(args: list[str]) -> str:
    rest = iter(args[1:])
    return re.sub(r"%[sdvq]", lambda _: next(rest, ""), args[0])


def _replaced(args: list[str]) -> str:
    old, new, text = args if len(args) == len(("old", "new", "text")) else (args[1], args[2], args[0])
    return text.replace(old, new)


_FUNCTIONS: Final[Mapping[str, Callable[[list[str]], str]]] = {
    **dict.fromkeys(("lower", "lowercase", "toLower"), lambda args: args[-1].lower()),
    **dict.fromkeys(("upper", "uppercase", "toUpper"), lambda args: args[-1].upper()),
    **dict.fromkeys(("trim", "quote", "squote", "toString", "shellQuote", "q"), lambda args: args[-1].strip()),
    **dict.fromkeys(("print", "println", "cat", "concat"), "".join),
    **dict.fromkeys(("trimPrefix", "trim_start_match"), lambda args: args[-1].removeprefix(args[0])),
    **dict.fromkeys(("trimSuffix", "trim_end_match"), lambda args: args[-1].removesuffix(args[0])),
    **dict.fromkeys(("default", "coalesce"), lambda args: args[-1] or args[0]),
    **dict.fromkeys(("join", "list", "fromSlash", "toSlash"), lambda args: args[-1]),
    "printf": _formatted,
    "replace": _replaced,
    "reverse": lambda args: args[-1][::-1],
    "joinPath": "/".join,
    "b64dec": lambda args: base64.b64decode(args[-1], validate=True).decode("utf-8", "ignore"),
}
