"""Cursor: a position in a shell text, and the joining of lines that end with a backslash.

bash joins such lines before it reads anything else, except in single quotes, comments and quoted here-documents. The
readers do the same: if they find a backslash at a line end, and a word or an operator could continue on the next line,
they raise LineContinues, and the text is read again without these two characters. Everything before them was already
read, so it is known that bash joins lines there.
"""

import re
from typing import Final

from tools_app.permission.shell.syntax import Mark, Script

MAX_DEPTH: Final = 24
"""Levels of nesting. Each takes a few Python stack frames, of which there are a thousand."""
CONTINUATION: Final = "\\\n"

_BLANK: Final = re.compile(r"[ \t]*(?:(?<=[ \t\n])\\\n[ \t]*)*")
"""A continuation behind a blank needs no joining: no word and no operator extends over the blank."""


class Unreadable(Exception):
    """The text cannot be parsed. The message is the reason, which people see.

    `text` is the text up to the position that was reached, with its lines joined.
    """

    text: str = ""


class LineContinues(Exception):
    """A word or an operator may continue after the line end at `position`."""

    def __init__(self, position: int) -> None:
        super().__init__(position)
        self.position = position


class Cursor:
    """A position in a shell text. `end` is moved temporarily to read a part of the text that ends earlier.

    `marks` collects positions, to compare them with the positions that the second parser, tree-sitter, records.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.position = 0
        self.end = len(text)
        self.depth = 0
        self.marks: set[Mark] = set()

    def script_until(self, closing: str) -> Script:
        raise NotImplementedError

    def at(self, text: str) -> bool:
        return self.text.startswith(text, self.position, self.end)

    def peek(self) -> str:
        return self.text[self.position] if self.position < self.end else ""

    def before(self) -> str:
        """Return the character before the position; "" at the beginning of the text."""
        return self.text[self.position - 1 : self.position]

    def skip_blanks(self) -> None:
        if found := _BLANK.match(self.text, self.position, self.end):
            self.position = found.end()
        self.refuse_continuation()

    def join_ahead(self, characters: "re.Pattern[str]") -> None:
        """Raise LineContinues if a line continuation follows the run of `characters` at the current position. Quotes
        must not be in `characters`."""
        found = characters.match(self.text, self.position, self.end)
        end = found.end() if found else self.position
        if self.text.startswith(CONTINUATION, end):
            raise LineContinues(end)

    def refuse_continuation(self) -> None:
        if self.at(CONTINUATION):
            raise LineContinues(self.position)

    def _deeper(self) -> None:
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise Unreadable("the command is nested too deeply")
