"""Clean and count text. Pure.

Clean text has no NUL and no lone surrogates, so every database and every model provider accepts it.
"""

import re
from collections.abc import Mapping
from typing import Any, Final

_NUL: Final = "\x00"
REPLACEMENT: Final = "\ufffd"
_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_UNCLEAN: Final = dict.fromkeys([0, *range(0xD800, 0xE000)], REPLACEMENT)


def is_clean(text: str) -> bool:
    """Return whether the text has neither NUL nor lone surrogates."""
    return _NUL not in text and (text.isascii() or _SURROGATE.search(text) is None)


def clean(text: str) -> str:
    """Replace NUL and lone surrogates (which stand for bytes that are not UTF-8) by the replacement character."""
    if is_clean(text):
        return text
    return text.translate(_UNCLEAN)


def counted(number: int, one: str, many: str | None = None) -> str:
    """Return a number with its noun in singular or plural: "1 line", "2,000 lines"."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def clean_value(value: Any) -> Any:
    """Clean every string value in JSON-like data, including nested ones. Keys are not changed."""
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, Mapping):
        return {key: clean_value(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [clean_value(item) for item in value]
    return value


def first_line(text: str, longest: int = 80) -> str:
    """Return the first line of a text, at most `longest` characters, with an ellipsis if anything is left out."""
    first, *more = text.strip().split("\n")
    return f"{first[: longest - 1]}…" if more or len(first) > longest else first


def byte_length(text: str) -> int:
    """Return the length of a text in bytes of UTF-8."""
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))
