"""Lexer for bash words and quoting, in one pass. Constructs whose meaning is uncertain raise Unreadable."""

import re
from collections.abc import Callable
from typing import Final

from tools_app.permission.shell.cursor import Unreadable
from tools_app.permission.shell.expansions import ExpansionReader
from tools_app.permission.shell.syntax import Assignment, Part, Substitution, Text, Word

_PLAIN: Final = re.compile(r"[^\s;&|<>()$`\\\"']+")
_IN_DOUBLE: Final = re.compile(r"[^\"\\$`]+")
_IN_HERE_DOCUMENT: Final = re.compile(r"[^\\$`]+")
_ASSIGNMENT: Final = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)(\[[^]\s]*\])?(\+?)=")
_NUMBERED: Final = re.compile(r"\[(?:0|[1-9][0-9]{0,5})\]")
_STRANGE_RANGE: Final = re.compile(r"\{(?:[A-Z]\.\.[a-z]|[a-z]\.\.[A-Z])")


class Lexer(ExpansionReader):
    """A reader of the words, assignments and bodies of here-documents in a shell text."""

    def word(self) -> Word:
        """Read the word at the current position. Raises Unreadable if there is none."""
        start = self.position
        if self.peek() == "#":
            raise Unreadable("a comment stands where a word was expected")
        parts = self._parts_of_word()
        if self.position == start:
            raise Unreadable("a word was expected")
        if _STRANGE_RANGE.search(self.text, start, self.position):
            raise Unreadable("a range such as {A..z} contains special characters")
        if self.peek() in {"<", ">"} and self.text[start] == "{" and self.before() == "}":
            raise Unreadable("a redirection sets a variable to the number of its descriptor")
        return Word(parts, self.text[start : self.position], start, self.position)

    def assignment(self) -> Assignment | None:
        """Read `name=value` at the current position; return None if there is no assignment."""
        found = _ASSIGNMENT.match(self.text, self.position, self.end)
        if not found:
            return None
        start = self.position
        self.position = value_start = found.end()
        if found[2] and not _NUMBERED.fullmatch(found[2]):
            raise Unreadable("an array subscript is an expression, which can run commands")
        if self.peek() == "(":
            elements = self._array()
            value = Word((), self.text[value_start : self.position], value_start, self.position)
            return Assignment(found[1], value, plain=False, source=self.text[start : self.position], elements=elements)
        parts = self._parts_of_word()
        value = Word(parts, self.text[value_start : self.position], value_start, self.position)
        plain = not found[2] and not found[3]
        return Assignment(found[1], value, plain, self.text[start : self.position])

    def here_document(self, start: int, end: int) -> tuple[Part, ...]:
        """Return the parts of a here-document whose delimiter is not quoted."""
        return self._bounded(start, end, lambda: self._quoted_parts(_IN_HERE_DOCUMENT, "", "$`\\"))

    def _bounded(self, start: int, end: int, read: "Callable[[], tuple[Part, ...]]") -> tuple[Part, ...]:
        before, self.position, self.end = (self.position, self.end), start, end
        parts = read()
        self.position, self.end = before
        return parts

    def _array(self) -> tuple[Word, ...]:
        self.position += 1
        elements: list[Word] = []
        while True:
            self.skip_blanks()
            if self.peek() == "\n":
                self.position += 1
            elif self.peek() == ")":
                self.position += 1
                return tuple(elements)
            elif self.peek() in {"[", "#", "{"}:
                raise Unreadable("an array has subscripts, braces or comments")
            else:
                elements.append(self.word())

    def _parts_of_word(self) -> tuple[Part, ...]:
        parts: list[Part] = []
        while self.position < self.end and self._part_of_word(parts):
            pass
        return tuple(parts)

    def _part_of_word(self, parts: list[Part]) -> bool:
        """Read one part of a word. Returns False at the end of the word."""
        found = _PLAIN.match(self.text, self.position, self.end)
        if found:
            parts.append(Text(found[0], quoted=False))
            self.position = found.end()
            return True
        char = self.peek()
        if char == "\\":
            self._escape(parts)
        elif char == "'":
            parts.append(Text(self._until_quote(), quoted=True))
        elif char == '"':
            self.position += 1
            parts.append(Text("", quoted=True))
            parts.extend(self._quoted_parts(_IN_DOUBLE, '"', '$`"\\'))
        elif char == "$":
            parts.append(self._dollar(quoted=False))
        elif char == "`":
            parts.append(self._backticks(quoted=False))
        elif char in "<>" and self.text.startswith("(", self.position + 1, self.end):
            self.marks.add(("expansion", self.position))
            self.position += 2
            parts.append(Substitution(self.script_until(")"), quoted=False, process="<" if char == "<" else ">"))
        else:
            self._refuse_extended_glob(char, parts)
            return False
        return True

    def _refuse_extended_glob(self, char: str, parts: list[Part]) -> None:
        if char == "(" and parts and isinstance(parts[-1], Text) and parts[-1].text[-1:] in {*"?*+@!="}:
            raise Unreadable("a word contains an extended glob or an array")

    def _escape(self, parts: list[Part]) -> None:
        self.refuse_continuation()
        if self.position + 1 >= self.end:
            raise Unreadable("there is a backslash at the end")
        parts.append(Text(self.text[self.position + 1], quoted=True))
        self.position += 2

    def _until_quote(self) -> str:
        closing = self.text.find("'", self.position + 1, self.end)
        if closing < 0:
            raise Unreadable("a quote is not closed")
        text = self.text[self.position + 1 : closing]
        self.position = closing + 1
        return text

    def _quoted_parts(self, plain: "re.Pattern[str]", closing: str, escaped: str) -> tuple[Part, ...]:
        """Read parts by the rules of double quotes, up to `closing`, or to the end if `closing` is empty."""
        parts: list[Part] = []
        while self.position < self.end:
            if found := plain.match(self.text, self.position, self.end):
                parts.append(Text(found[0], quoted=True))
                self.position = found.end()
                continue
            char = self.peek()
            if char == closing:
                self.position += 1
                return tuple(parts)
            if char == "\\":
                parts.append(Text(self._escape_in_quotes(escaped), quoted=True))
            elif char == "$":
                parts.append(self._dollar(quoted=True))
            elif char == "`":
                parts.append(self._backticks(quoted=True))
            else:
                parts.append(Text(char, quoted=True))
                self.position += 1
        if closing:
            raise Unreadable("a quote is not closed")
        return tuple(parts)

    def _escape_in_quotes(self, escaped: str) -> str:
        char = self.text[self.position + 1 : min(self.position + 2, self.end)]
        if char == "\n":
            if self.before() not in {" ", "\t", "\n"}:
                self.refuse_continuation()
            self.position += 2
            return ""
        self.position += 2
        return char if char and char in escaped else f"\\{char}"
