"""calculated(): the value of an arithmetic expression of bash, with given variables."""

import re
from collections.abc import Callable, Mapping
from typing import Final, Protocol

MAX_CHARS: Final = 300  # of an expression
_MAX_DEPTH: Final = 8  # of variables whose values are expressions
_MAX_SHIFT: Final = 64
_WORD_SIZE: Final = 1 << 64

_TOKEN: Final = re.compile(
    r"\s*(?:(?P<number>\d+#\w+|0[xX][0-9a-fA-F]+|\d+)|(?P<name>[A-Za-z_]\w*)"
    r"|(?P<sign><<=|>>=|\*\*|\+\+|--|<<|>>|&&|\|\||[-+*/%&|^=!<>]=|[-+*/%&|^<>=!~?:,()\[\]]))",
    re.ASCII,
)
_LENGTH: Final = re.compile(r"\$\{#(\w+)\}")
_EXPANSION: Final = re.compile(r"\$\{(\w+(?:\[\w+\])?)\}|\$(\w+)|\$(?=\()|['\"]")
_PARAMETER: Final = re.compile(r"\$\{(\d{1,3}|#)\}|\$(\d|#)")
"""A parameter, or `$#`, the number of parameters."""
_ASSIGNS: Final = re.compile(r"(?:<<|>>|[-+*/%&|^])?=")
_LEVELS: Final[Mapping[str, int]] = {
    "||": 2, "&&": 3, "|": 4, "^": 5, "&": 6, "==": 7, "!=": 7, "<": 8, ">": 8, "<=": 8, ">=": 8, "<<": 9, ">>": 9,
    "+": 10, "-": 10, "*": 11, "/": 11, "%": 11, "**": 12,
}  # fmt: skip
_OPERATIONS: Final[Mapping[str, Callable[[int, int], int]]] = {
    "||": lambda a, b: int(bool(a or b)), "&&": lambda a, b: int(bool(a and b)), "|": lambda a, b: a | b,
    "^": lambda a, b: a ^ b, "&": lambda a, b: a & b, "==": lambda a, b: int(a == b), "!=": lambda a, b: int(a != b),
    "<": lambda a, b: int(a < b), ">": lambda a, b: int(a > b), "<=": lambda a, b: int(a <= b),
    ">=": lambda a, b: int(a >= b), "<<": lambda a, b: a << (b % _MAX_SHIFT), ">>": lambda a, b: a >> (b % _MAX_SHIFT),
    "+": lambda a, b: a + b, "-": lambda a, b: a - b, "*": lambda a, b: a * b,
    "/": lambda a, b: (abs(a) // abs(b)) * (1 if (a < 0) == (b < 0) else -1),
    "%": lambda a, b: abs(a) % abs(b) * (-1 if a < 0 else 1),
    "**": lambda a, b: pow(a, b, _WORD_SIZE) if b >= 0 else 0,
}  # fmt: skip


class Variables(Protocol):
    def get(self, name: str, index: str = "") -> list[str]: ...

    def set(self, name: str, value: str) -> None: ...


class Nothing:
    """A scope for arithmetic expressions in which no variable is set and assignments have no effect."""

    def get(self, _name: str, _index: str = "") -> list[str]:
        return []

    def set(self, _name: str, _value: str) -> None:
        return None


def calculated(text: str, variables: Variables, depth: int = 0) -> int | None:
    """Evaluate an arithmetic expression, carry out its assignments, and return its value; None if it cannot be read."""
    if len(text) > MAX_CHARS or depth > _MAX_DEPTH:
        return None
    text = _LENGTH.sub(lambda found: str(len("".join(variables.get(found[1])))), text)
    text = _PARAMETER.sub(lambda found: "".join(variables.get(found[1] or found[2])) or "0", text)
    text = _EXPANSION.sub(lambda found: found[1] or found[2] or "", text)
    try:
        return _Reader(text, variables, depth).read()
    except (ValueError, ZeroDivisionError, RecursionError):
        return None


class _Reader:
    """A parser that evaluates one expression from its beginning to its end."""

    def __init__(self, text: str, variables: Variables, depth: int) -> None:
        self._variables = variables
        self._depth = depth
        self._tokens: list[str] = []
        self._at = 0
        self._skipped = 0
        """Parts around the current one that bash does not evaluate: behind `0 &&`, in the other branch of `?:`."""
        position, text = 0, text.rstrip()
        while position < len(text):
            found = _TOKEN.match(text, position)
            if found is None:
                raise ValueError(text)
            self._tokens.append(found[0].strip())
            position = found.end()

    def read(self) -> int:
        value = self._list() if self._tokens else 0
        if self._at < len(self._tokens):
            raise ValueError(self._next())
        return value

    def _next(self) -> str:
        return self._tokens[self._at] if self._at < len(self._tokens) else ""

    def _take(self, wanted: str = "") -> str:
        token = self._next()
        if not token or (wanted and token != wanted):
            raise ValueError(token)
        self._at += 1
        return token

    def _list(self) -> int:
        value = self._choice()
        while self._next() == ",":
            self._take()
            value = self._choice()
        return value

    def _choice(self) -> int:
        value = self._binary(2)
        if self._next() != "?":
            return value
        self._take()
        first = self._unless(not value, self._list)
        self._take(":")
        second = self._unless(bool(value), self._choice)
        return first if value else second

    def _unless(self, skips: bool, read: Callable[[], int]) -> int:
        self._skipped += skips
        value = read()
        self._skipped -= skips
        return value

    def _binary(self, level: int) -> int:
        value = self._unary()
        while (own := _LEVELS.get(self._next(), 0)) >= level:
            sign = self._take()
            skips = (sign == "&&" and not value) or (sign == "||" and bool(value))
            following = own if sign == "**" else own + 1
            other = self._unless(skips, lambda: self._binary(following))  # noqa: B023
            value = _wrapped(_OPERATIONS[sign](value, other if other or not self._skipped or sign not in "/%" else 1))
        return value

    def _unary(self) -> int:
        token = self._take()
        if token in {"++", "--"} and _is_name(self._next()):
            name, index = self._place()
            return self._assign(name, index, self._value(name, index) + (1 if token == "++" else -1))
        if token in {"-", "+", "!", "~", "++", "--"}:
            value = self._unary()
            return -value if token == "-" else int(not value) if token == "!" else ~value if token == "~" else value
        if token == "(":
            value = self._list()
            self._take(")")
            return value
        if token[0].isdigit():
            return _number(token)
        if not _is_name(token):
            raise ValueError(token)
        self._at -= 1
        return self._variable()

    def _place(self) -> tuple[str, str]:
        name, index = self._take(), ""
        if self._next() == "[":
            self._take()
            index = str(self._list())
            self._take("]")
        return name, index

    def _variable(self) -> int:
        name, index = self._place()
        sign = self._next()
        if sign in {"++", "--"}:
            self._take()
            value = self._value(name, index)
            self._assign(name, index, value + (1 if sign == "++" else -1))
            return value
        if _ASSIGNS.fullmatch(sign):
            self._take()
            other = self._choice()
            return self._assign(
                name, index, _OPERATIONS[sign[:-1]](self._value(name, index), other) if sign[:-1] else other
            )
        return self._value(name, index)

    def _value(self, name: str, index: str) -> int:
        text = "".join(self._variables.get(name, index)[:1])
        return (calculated(text, self._variables, self._depth + 1) or 0) if text.strip() else 0

    def _assign(self, name: str, index: str, value: int) -> int:
        if not self._skipped:
            self._variables.set(f"{name}[{index}]" if index else name, str(_wrapped(value)))
        return _wrapped(value)


def _is_name(token: str) -> bool:
    return token[:1].isalpha() or token[:1] == "_"


def _wrapped(value: int) -> int:
    """Return the value as a signed number of 64 bits."""
    value %= _WORD_SIZE
    return value - _WORD_SIZE if value >= _WORD_SIZE // 2 else value


def _number(token: str) -> int:
    base, mark, digits = token.partition("#")
    if mark:
        return int(digits, int(base)) if 2 <= int(base) <= 36 else 0
    if token[:2] in {"0x", "0X"}:
        return int(token, 16)
    return int(token, 8) if token[0] == "0" and len(token) > 1 else int(token)
