"""Text that every store and every model accepts: no NUL, no halves of characters."""

import re
from collections.abc import Mapping
from typing import Any, Final

_NUL: Final = "\x00"
REPLACEMENT: Final = "\ufffd"
_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_UNCLEAN: Final = dict.fromkeys([0, *range(0xD800, 0xE000)], REPLACEMENT)


def is_clean(text: str) -> bool:
    return _NUL not in text and (text.isascii() or _SURROGATE.search(text) is None)


def clean(text: str) -> str:
    """Bytes that were not UTF-8 (and travelled as surrogates) and NUL become the replacement character."""
    if is_clean(text):
        return text
    return text.translate(_UNCLEAN)


def counted(number: int, one: str, many: str | None = None) -> str:
    """The number with its noun in the right form: "1 line", "2,000 lines"."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def clean_value(value: Any) -> Any:
    """The same for every text within JSON-like data."""
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, Mapping):
        return {key: clean_value(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [clean_value(item) for item in value]
    return value


def first_line(text: str, longest: int = 80) -> str:
    """For a title; with an ellipsis where something is left out."""
    first, *more = text.strip().split("\n")
    return f"{first[: longest - 1]}…" if more or len(first) > longest else first
