"""Draw the screen of a terminal as text, from the output of its program.

The output may be hostile: the work is bounded in time, and a sequence that cannot be drawn is left out.
"""

import time
import unicodedata
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final

import pyte
from wcwidth import wcwidth

MAX_OUTPUT: Final = 1 << 17
"""Bytes of output that are drawn: the last ones."""
PIECE: Final = 1 << 8
"""Bytes that are drawn between two checks of the time."""
MAX_ROWS: Final = 100
MAX_COLUMNS: Final = 300
MAX_SECONDS: Final = 1.5
"""Processor time that drawing may take."""
OTHER_SCREEN: Final = frozenset({47, 1047, 1049})
"""Modes that editors switch on when they start, and off at their end to restore the earlier screen."""
WIDE_SCREEN: Final = 3
"""The mode that would change the width to 132 columns."""


@dataclass(frozen=True, slots=True)
class DrawnScreen:
    """The lines of a screen without trailing blanks, and the position of the cursor, counted from 1.

    `complete` is false if drawing took too long.
    """

    lines: tuple[str, ...]
    row: int
    column: int
    complete: bool


class _Screen(pyte.Screen):
    """A pyte screen that also supports the alternate screen of editors, and ignores modes that do not affect text."""

    def __init__(self, columns: int, lines: int) -> None:
        self._before: tuple[dict[int, dict[int, Any]], int, int] | None = None
        super().__init__(columns, lines)

    def draw(self, data: str) -> None:
        super().draw(data if data.isascii() else _drawable(data))

    def alignment_display(self) -> None:
        """Do nothing, instead of filling the whole screen with the test picture of old terminals, which costs time."""

    def set_mode(self, *modes: int, **options: Any) -> None:
        if options.get("private") and OTHER_SCREEN & set(modes) and self._before is None:
            lines = {row: dict(line) for row, line in self.buffer.items()}
            self._before = (lines, self.cursor.x, self.cursor.y)
            self.erase_in_display(2)
        super().set_mode(*(mode for mode in modes if mode != WIDE_SCREEN), **options)

    def reset_mode(self, *modes: int, **options: Any) -> None:
        if options.get("private") and OTHER_SCREEN & set(modes) and self._before is not None:
            lines, self.cursor.x, self.cursor.y = self._before
            self._before = None
            self.buffer.clear()
            for row, line in lines.items():
                self.buffer[row].update(line)
        super().reset_mode(*(mode for mode in modes if mode != WIDE_SCREEN), **options)


def draw_screen(output: bytes, rows: int, columns: int) -> DrawnScreen:
    """Return the screen of a terminal of `rows` and `columns` after its program wrote `output`.

    If the terminal is larger than an agent's terminal can be, only its upper left corner is drawn.
    """
    screen = _Screen(min(columns, MAX_COLUMNS), min(rows, MAX_ROWS))
    stream = pyte.ByteStream(screen)
    ends = time.thread_time() + MAX_SECONDS
    output = output[-MAX_OUTPUT:]
    complete = True
    for start in range(0, len(output), PIECE):
        if time.thread_time() > ends:
            complete = False
            break
        with suppress(Exception):  # a sequence on which the library fails is left out
            stream.feed(output[start : start + PIECE])
    lines = [line.rstrip() for line in screen.display]
    return DrawnScreen(tuple(lines), screen.cursor.y + 1, screen.cursor.x + 1, complete)


def _drawable(data: str) -> str:
    """Return the text without combining and control characters: pyte stops drawing at a character of width 0."""
    return "".join(each for each in unicodedata.normalize("NFC", data) if wcwidth(each) > 0)
