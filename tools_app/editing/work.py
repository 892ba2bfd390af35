"""How much a search for a text may do. A file and a text that are made for it would keep a forgiving search busy for
minutes, before anybody was asked, and with it every other call of the worker."""

from typing import Final

from tools_app.editing.errors import TooMuchWork

MOST_WORK: Final = 1_000_000  # lines compared; about a second


class Work:
    """What one search has done so far."""

    def __init__(self) -> None:
        self._done = 0

    def spend(self, lines: int) -> None:
        """Raises TooMuchWork when it becomes too much."""
        self._done += lines
        if self._done > MOST_WORK:
            raise TooMuchWork(
                "The file repeats itself too much to look for oldString in it. Give a shorter oldString that stands "
                "in one place only, or change the file with a command."
            )
