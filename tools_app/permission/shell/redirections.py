"""Parser for redirections and here-documents, whose bodies start on the next line."""

import re
from typing import Final

from tools_app.permission.shell.cursor import LineContinues, Unreadable
from tools_app.permission.shell.lexer import Lexer
from tools_app.permission.shell.syntax import Redirection, Text, Word

_REDIRECTION: Final = re.compile(r"([0-9]*)(<<<|<<-|<<|<>|<&|>&|&>>|&>|>>|>\||<(?!\()|>(?!\())")
_COPIED: Final = re.compile(r"[0-9]{1,2}-?|-|[A-Za-z_./][\w./+-]*", re.ASCII)
"""A descriptor, or a file whose name stays the same however often it is expanded."""
_MAX_DIGITS: Final = 2
"""bash reads a number that is too large as a word."""
_DELIMITER: Final = re.compile(r"(?:[\w.!%+,\-/:@]+|'[\w.!%+,\-/:@ ]*'|\"[\w.!%+,\-/:@ ]*\"|\\\w)+")
_ESCAPES: Final = re.compile(r"(?:[^\\]|\\.)*\\")
"""A line whose last backslash is not escaped."""


class RedirectionReader(Lexer):
    def __init__(self, text: str) -> None:
        super().__init__(text)
        self._waiting: list[tuple[Redirection, bool]] = []

    def _redirections(self) -> tuple[Redirection, ...]:
        found: list[Redirection] = []
        self.skip_blanks()
        while self._redirection(found):
            self.skip_blanks()
        return tuple(found)

    def _redirection(self, into: list[Redirection]) -> bool:
        found = _REDIRECTION.match(self.text, self.position, self.end)
        if not found:
            return False
        self.position = found.end()
        self.marks.add(("redirection", found.start(2)))
        self.skip_blanks()
        descriptor, operator = found.groups()
        if len(descriptor) > _MAX_DIGITS:
            raise Unreadable("the number of a descriptor is too large")
        if operator in {"<<", "<<-"}:
            self._here_document(operator, descriptor, into)
        else:
            target = self.word()
            if operator in {">&", "<&"} and not _COPIED.fullmatch(target.source):
                raise Unreadable(f"bash expands the target of `{operator}` twice")
            into.append(Redirection(operator, descriptor, target))
        return True

    def _here_document(self, operator: str, descriptor: str, into: list[Redirection]) -> None:
        self.join_ahead(_DELIMITER)
        found = _DELIMITER.match(self.text, self.position, self.end)
        if not found or self.text[found.end() : found.end() + 1] not in {*" \t\n;&|<>)", ""}:
            raise Unreadable("the delimiter of a here-document cannot be parsed")
        start, self.position = self.position, found.end()
        plain = re.sub(r"['\"\\]", "", found[0])
        target = Word((Text(plain, quoted=True),), found[0], start, found.end())
        redirection = Redirection(operator, descriptor, target)
        into.append(redirection)
        self._waiting.append((redirection, plain != found[0]))

    def _read_here_documents(self, *, at_end: bool) -> None:
        if at_end and self._waiting:
            raise Unreadable("a here-document is not closed")
        waiting, self._waiting = self._waiting, []
        for redirection, quoted in waiting:
            start = self.position
            body_end, after = self._delimiter_line(redirection, joined=not quoted)
            text = self.text[start:body_end]
            redirection.body = () if quoted else self.here_document(start, body_end)
            redirection.body_text = text
            self.position = after

    def _delimiter_line(self, redirection: Redirection, *, joined: bool) -> tuple[int, int]:
        """Return the position where the body ends, and the position after the line with the delimiter.

        If the delimiter is not quoted, bash joins lines of the body before it looks for the delimiter.
        """
        delimiter = redirection.target.parts[0]
        wanted = delimiter.text if isinstance(delimiter, Text) else ""
        position = self.position
        while position <= self.end:
            line_end = self.text.find("\n", position, self.end)
            line_end = self.end if line_end < 0 else line_end
            line = self.text[position:line_end]
            if joined and line.endswith("\\") and line_end < self.end and _ESCAPES.fullmatch(line):
                raise LineContinues(line_end - 1)
            if (line.lstrip("\t") if redirection.operator == "<<-" else line) == wanted:
                return position, min(line_end + 1, self.end)
            if line_end >= self.end:
                break
            position = line_end + 1
        raise Unreadable("a here-document is not closed")
