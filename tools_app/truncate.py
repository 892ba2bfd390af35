"""Cut long text to what a model should read: whole lines, bounded in lines and in bytes of UTF-8."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, Literal

MAX_LINES: Final = 2000
MAX_BYTES: Final = 51_200

Direction = Literal["head", "tail"]
Unit = Literal["lines", "bytes"]


@dataclass(frozen=True, slots=True)
class Truncated:
    """`text` is what was kept; `removed` counts what was not, in `unit` (the bound that was met first)."""

    text: str
    truncated: bool
    removed: int
    unit: Unit


def truncate(
    text: str, *, max_lines: int = MAX_LINES, max_bytes: int = MAX_BYTES, direction: Direction = "head"
) -> Truncated:
    """Keep the first (`head`) or last (`tail`) whole lines that fit both bounds.

    A single line that is longer than `max_bytes` does not fit: nothing of it is kept.
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
