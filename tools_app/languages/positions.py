"""Convert positions: people and models count lines and characters from 1; the protocol counts lines and UTF-16 code
units from 0."""

from collections.abc import Sequence

from tools_app.spec import ToolError


def to_units(lines: Sequence[str], line: int, character: int) -> tuple[int, int]:
    """Convert a position to the units of the protocol: lines from 0, columns in UTF-16 code units. A column past the
    end of the line becomes the end of the line.

    Raises ToolError if there is no such line.
    """
    if line > max(1, len(lines)):
        raise ToolError(f"There is no line {line}: the file has {len(lines):,}. Read it to see where the symbol is.")
    before = lines[line - 1][: character - 1] if lines else ""
    return line - 1, len(before) + sum(ord(char) > 0xFFFF for char in before)


def to_characters(lines: Sequence[str], line: int, unit: int) -> tuple[int, int]:
    """Convert a position of the protocol to (line, column) in characters, both from 1. If the file has no such line,
    the column is not converted from UTF-16 code units."""
    if not 0 <= line < len(lines):
        return line + 1, unit + 1
    before = lines[line].encode("utf-16-le", "surrogatepass")[: 2 * unit]
    return line + 1, len(before.decode("utf-16-le", "surrogatepass")) + 1
