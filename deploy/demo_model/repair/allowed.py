"""What interpreted code may use: an allow-list of builtins, methods and modules, and size limits on results."""

import collections
import dataclasses
import decimal
import math
import operator
from collections.abc import Callable, Mapping
from types import SimpleNamespace
from typing import Any, Final

LARGEST_SEQUENCE: Final = 20_000
LARGEST_BITS: Final = 4_096


class Unsupported(Exception):
    """The interpreter does not know this, or it would take too long."""


class Unknown:
    """Stands for an import that we do not know; any use of it is Unsupported."""


def limited_range(*bounds: int) -> range:
    numbers = range(*bounds)
    if len(numbers) > LARGEST_SEQUENCE:
        raise Unsupported("a very long range")
    return numbers


def multiply(left: Any, right: Any) -> Any:
    for one, other in ((left, right), (right, left)):
        if (
            isinstance(one, str | bytes | list | tuple)
            and isinstance(other, int)
            and len(one) * other > LARGEST_SEQUENCE
        ):
            raise Unsupported("a very long sequence")
    return sized(left * right)


def power(base: Any, exponent: Any) -> Any:
    if isinstance(base, int) and isinstance(exponent, int) and base.bit_length() * abs(exponent) > LARGEST_BITS:
        raise Unsupported("a very large number")
    return base**exponent


def shift_left(number: Any, bits: Any) -> Any:
    if isinstance(bits, int) and bits > LARGEST_BITS:
        raise Unsupported("a very large number")
    return sized(number << bits)


def add(left: Any, right: Any) -> Any:
    return sized(left + right)


def sized(value: Any) -> Any:
    if isinstance(value, int) and value.bit_length() > LARGEST_BITS:
        raise Unsupported("a very large number")
    if isinstance(value, str | bytes | list | tuple) and len(value) > LARGEST_SEQUENCE:
        raise Unsupported("a very long sequence")
    return value


BINARY: Final[Mapping[str, Callable[[Any, Any], Any]]] = {
    "Add": add,
    "Sub": operator.sub,
    "Mult": multiply,
    "Div": operator.truediv,
    "FloorDiv": operator.floordiv,
    "Mod": operator.mod,
    "Pow": power,
    "LShift": shift_left,
    "RShift": operator.rshift,
    "BitAnd": operator.and_,
    "BitOr": operator.or_,
    "BitXor": operator.xor,
}
COMPARE: Final[Mapping[str, Callable[[Any, Any], Any]]] = {
    "Eq": operator.eq,
    "NotEq": operator.ne,
    "Lt": operator.lt,
    "LtE": operator.le,
    "Gt": operator.gt,
    "GtE": operator.ge,
    "Is": operator.is_,
    "IsNot": operator.is_not,
    "In": lambda left, right: left in right,
    "NotIn": lambda left, right: left not in right,
}
UNARY: Final[Mapping[str, Callable[[Any], Any]]] = {
    "Not": operator.not_,
    "USub": operator.neg,
    "UAdd": operator.pos,
    "Invert": operator.invert,
}


def words(text: str) -> frozenset[str]:
    return frozenset(text.split())


EXCEPTIONS: Final = (
    ArithmeticError, AssertionError, AttributeError, Exception, IndexError, KeyError, LookupError, NotImplementedError,
    OverflowError, RuntimeError, StopIteration, TypeError, ValueError, ZeroDivisionError,
)  # fmt: skip
BUILTINS: Final[Mapping[str, Any]] = {
    **{kind.__name__: kind for kind in EXCEPTIONS},
    "range": limited_range,
    **{
        one.__name__: one
        for one in (
            abs, all, any, bool, classmethod, dict, divmod, enumerate, filter, float, frozenset, int, isinstance,
            issubclass, len, list, map, max, min, property, repr, reversed, round, set, sorted, staticmethod, str, sum,
            tuple, zip,
        )
    },
}  # fmt: skip

METHODS: Final[Mapping[type, frozenset[str]]] = {
    str: words(
        "capitalize count endswith find index isalnum isalpha isdigit islower isspace isupper join lower lstrip"
        " partition removeprefix removesuffix replace rfind rpartition rsplit rstrip split splitlines startswith strip"
        " swapcase title upper"
    ),
    list: words("append clear copy count extend index insert pop remove reverse sort"),
    tuple: frozenset({"count", "index"}),
    dict: words("clear copy get items keys pop popitem setdefault update values"),
    set: words("add clear copy difference discard intersection isdisjoint issubset issuperset pop remove union update"),
    frozenset: words("difference intersection isdisjoint issubset issuperset union"),
    float: frozenset({"is_integer"}),
    int: frozenset({"bit_length"}),
    decimal.Decimal: frozenset({"quantize", "normalize", "to_integral_value"}),
    collections.Counter: words("get items keys most_common total update values"),
    collections.defaultdict: words("clear get items keys pop setdefault update values"),
    collections.deque: words("append appendleft clear extend pop popleft"),
}
MODULES: Final[Mapping[str, SimpleNamespace]] = {
    name: SimpleNamespace(**{one: getattr(module, one) for one in names.split()})
    for name, module, names in (
        ("math", math, "ceil floor sqrt gcd pi e inf isclose hypot"),
        ("decimal", decimal, "Decimal ROUND_HALF_UP ROUND_DOWN ROUND_HALF_EVEN"),
        ("collections", collections, "defaultdict Counter deque"),
        ("dataclasses", dataclasses, "dataclass field"),
    )
}


class Raises:
    """`pytest.raises` as a value; the `with` statement knows what to do with it."""

    def __init__(self, *kinds: Any, match: str | None = None) -> None:
        self.kinds = kinds[0] if len(kinds) == 1 else kinds
        self.match = match


class Approx:
    def __init__(self, expected: Any, rel: float = 1e-6, abs: float = 1e-12) -> None:  # noqa: A002 - pytest's name
        self._expected, self._rel, self._abs = expected, rel, abs

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, int | float) or not isinstance(self._expected, int | float):
            raise Unsupported("pytest.approx of something else than numbers")
        return math.isclose(other, self._expected, rel_tol=self._rel, abs_tol=self._abs)

    def __hash__(self) -> int:
        return hash(self._expected)


PYTEST: Final = SimpleNamespace(raises=Raises, approx=Approx)
KNOWN_MODULES: Final[Mapping[str, SimpleNamespace]] = {**MODULES, "pytest": PYTEST}
