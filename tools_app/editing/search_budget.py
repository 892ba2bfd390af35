"""How much a search for a text may do. A file and a text that are made for it would keep a forgiving search busy for
minutes, before anybody was asked, and with it every other call of the worker."""

from typing import Final

from tools_app.editing.errors import TooMuchWork

MOST_WORK: Final = 1_000_000  # lines compared; about a second
_OF_ONE_TEXT: Final = (
    "The file repeats itself too much to look for oldString in it. Give a shorter oldString that stands in one place "
    "only, or change the file with a command."
)
OF_A_PATCH: Final = (
    "Looking for the places of this patch would take too long. Split it into several patches with fewer sections about "
    "one large file, or change that file with a command."
)


class Work:
    """What one search has done so far; `advice` is what to do when it becomes too much."""

    def __init__(self, advice: str = _OF_ONE_TEXT) -> None:
        self._done = 0
        self._advice = advice

    def spend(self, lines: int) -> None:
        """Raises TooMuchWork when it becomes too much."""
        self._done += lines
        if self._done > MOST_WORK:
            raise TooMuchWork(self._advice)
