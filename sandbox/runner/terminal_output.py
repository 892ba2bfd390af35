"""Keep the last bytes of a terminal's output, and the terminal modes that earlier, dropped output has set."""

import re
from typing import Final

OUTPUT_LIMIT: Final = 1 << 20  # bytes kept of a terminal's output
SLACK: Final = 1 << 18  # bytes by which more may be kept, so that not every chunk moves all of them
CUT_SEARCH: Final = 4_096  # bytes in which a good place to cut is looked for
SEQUENCE_LIMIT: Final = 64  # bytes of the longest sequence that is read

MODES: Final = re.compile(rb"\x1b\[\?([0-9;]{1,40})([hl])|(\x1bc)")
SCREENS: Final = (b"1049", b"1047", b"47")
ON_AT_START: Final = {b"7": True, b"25": True}
KNOWN: Final = frozenset(
    {*SCREENS, b"1", b"7", b"25", b"1000", b"1002", b"1003", b"1004", b"1005", b"1006", b"1015", b"2004"}
)
"""Modes that full-screen programs switch on when they start: another screen, no cursor, reports of the mouse."""


class TerminalOutput:
    """The last bytes of a terminal's output, with their position in the whole output.

    Dropped output may have switched on a mode, such as the other screen that an editor uses. `beginning` returns the
    sequences that switch it on again.
    """

    def __init__(self, limit: int = OUTPUT_LIMIT) -> None:
        self._limit = limit
        self._kept = bytearray()
        self._modes: dict[bytes, bool] = {}
        self.total = 0

    @property
    def start(self) -> int:
        return self.total - len(self._kept)

    def feed(self, chunk: bytes) -> None:
        self._kept += chunk
        self.total += len(chunk)
        if len(self._kept) > self._limit + min(SLACK, self._limit):
            self._drop(len(self._kept) - self._limit)

    def shorten(self, limit: int) -> None:
        """Keep at most `limit` bytes of the output from now on."""
        self._limit = limit
        if len(self._kept) > limit:
            self._drop(len(self._kept) - limit)

    def since(self, position: int, most: int) -> tuple[int, bytes]:
        """Return (position, bytes): at most `most` bytes of the output from `position` on, or from the first kept byte
        if that is later."""
        start = max(min(position, self.total), self.start)
        offset = start - self.start
        return start, bytes(self._kept[offset : offset + most])

    def beginning(self) -> bytes:
        """Return escape sequences that restore the terminal's modes at the start of the kept output."""
        changed = {mode: on for mode, on in self._modes.items() if on != ON_AT_START.get(mode, False)}
        screens = [mode for mode in SCREENS if changed.pop(mode, False)]
        return b"".join(
            b"\x1b[?%s%s" % (mode, b"h" if changed.get(mode, True) else b"l") for mode in (*screens, *changed)
        )

    def _drop(self, count: int) -> None:
        """Drop about `count` bytes from the beginning of the kept output. The cut is moved to the end of a line or the
        beginning of an escape sequence, if one is near."""
        line = self._kept.find(b"\n", count, count + CUT_SEARCH)
        escape = self._kept.find(b"\x1b", count, count + CUT_SEARCH)
        cut = line + 1 if line >= 0 else escape if escape >= 0 else count
        for found in MODES.finditer(self._kept, 0, cut):
            self._note(found)
        del self._kept[:cut]

    def _note(self, found: re.Match[bytes]) -> None:
        if found[3]:
            self._modes.clear()
            return
        for mode in found[1].split(b";"):
            if mode in KNOWN:
                self._modes[mode] = found[2] == b"h"
