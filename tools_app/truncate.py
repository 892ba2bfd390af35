"""Truncate long text for the model: whole lines, limited in lines and in bytes of UTF-8."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, Literal

MAX_LINES: Final = 2000
MAX_BYTES: Final = 51_200

Direction = Literal["head", "tail"]
Unit = Literal["lines", "bytes"]


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
