"""Clean, count and truncate text. Pure.

Clean text has no NUL and no lone surrogates, so every database and every model provider accepts it. Truncated text
consists of whole lines within a limit in lines and one in bytes of UTF-8.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

_NUL: Final = "\x00"
REPLACEMENT: Final = "\ufffd"
_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_UNCLEAN: Final = dict.fromkeys([0, *range(0xD800, 0xE000)], REPLACEMENT)

MAX_LINES: Final = 2000
MAX_BYTES: Final = 51_200
"""How much of a text the model gets at most, unless a caller of `truncate` says otherwise."""

Direction = Literal["head", "tail"]
Unit = Literal["lines", "bytes"]


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


@dataclass(frozen=True, slots=True)
class Truncated:
    """The result of truncating a text."""

    text: str
    """The part that was kept."""
    truncated: bool
    removed: int
    """How many lines or bytes were removed."""
    unit: Unit
    """The unit of `removed`: that of the limit that was reached first."""


def truncate(
    text: str, *, max_lines: int = MAX_LINES, max_bytes: int = MAX_BYTES, direction: Direction = "head"
) -> Truncated:
    """Keep the first (`head`) or last (`tail`) whole lines that are within both limits.

    Nothing is kept of a line that is longer than `max_bytes`.
    """
    total = byte_length(text)
    lines = text.split("\n")
    if lines[-1] == "":
        lines.pop()
    if total <= max_bytes and len(lines) <= max_lines:
        return Truncated(text, truncated=False, removed=0, unit="lines")
    ordered = lines if direction == "head" else lines[::-1]
    kept = _fitting(ordered[:max_lines], max_bytes)
    if direction == "tail":
        kept.reverse()
    shortened = "\n".join(kept)
    if len(kept) == max_lines and len(kept) < len(lines):
        return Truncated(shortened, truncated=True, removed=len(lines) - len(kept), unit="lines")
    return Truncated(shortened, truncated=True, removed=total - byte_length(shortened), unit="bytes")


def byte_length(text: str) -> int:
    """Return the length of a text in bytes of UTF-8."""
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))


def _fitting(lines: Iterable[str], max_bytes: int) -> list[str]:
    kept: list[str] = []
    used = -1
    for line in lines:
        used += byte_length(line) + 1
        if used > max_bytes:
            break
        kept.append(line)
    return kept
