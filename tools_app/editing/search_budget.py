"""A budget for text searches.

A lenient search of a file and a text crafted for it could run for minutes, even before the call is permitted, and block
every other call of the worker.
"""

from typing import Final

from tools_app.editing.errors import TooMuchWork

MAX_LINES_COMPARED: Final = 1_000_000  # lines compared; about a second
_EDIT_ADVICE: Final = (
    "The file is too repetitive to search it for oldString. Give a shorter oldString that occurs in one place only, or "
    "change the file with a command."
)
PATCH_ADVICE: Final = (
    "Finding the places of this patch would take too long. Split it into several patches with fewer sections for the "
    "same large file, or change that file with a command."
)


class SearchBudget:
    """A counter of the lines that one search compares, with an upper limit. `advice` is the error message for a search
    that exceeds the limit."""

    def __init__(self, advice: str = _EDIT_ADVICE) -> None:
        self._done = 0
        self._advice = advice

    def spend(self, lines: int) -> None:
        """Charge a number of compared lines. Raises TooMuchWork if the total exceeds the limit."""
        self._done += lines
        if self._done > MAX_LINES_COMPARED:
            raise TooMuchWork(self._advice)
