"""Lexer for bash words and quoting, in one pass. Constructs whose meaning is uncertain raise Unreadable."""

import re
from collections.abc import Callable
from typing import Final

from tools_app.permission.shell.ansi_quoting import decode
from tools_app.permission.shell.syntax import (
    Arithmetic,
    Assignment,
    Parameter,
    Part,
    Script,
    Substitution,
    Text,
    Word,
)

MAX_DEPTH: Final = 24
"""Levels of nesting. Each takes a few Python stack frames, of which there are a thousand."""

_PLAIN: Final = re.compile(r"[^\s;&|<>()$`\\\"']+")
_IN_DOUBLE: Final = re.compile(r"[^\"\\$`]+")
_IN_HERE_DOCUMENT: Final = re.compile(r"[^\\$`]+")
_IN_BRACES: Final = re.compile(r"[^\"'\\$`}]+")
_BLANK: Final = re.compile(r"(?:[ \t]|\\\n)+")
_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_SPECIAL: Final = re.compile(r"[0-9@*#?$!\-]")
_BRACED_PLAIN: Final = re.compile(r"\{([A-Za-z_][A-Za-z0-9_]*|[0-9]+|[@*#?$!\-])\}")
_BRACED_LENGTH: Final = re.compile(r"\{#([A-Za-z_][A-Za-z0-9_]*|[0-9]+|[@*])\}")
_BRACED_START: Final = re.compile(r"\{([A-Za-z_][A-Za-z0-9_]*|[0-9]+|[@*])(\[[@*0-9]+\])?")
_OPERATOR: Final = re.compile(r":[-+?]|[-+?]|##?|%%?|//?|\^\^?|,,?|:\d+(?::\d+)?(?=\})|(?=\})")
_ASSIGNMENT: Final = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)(\[[^]\s]*\])?(\+?)=")
_CALCULATION: Final = re.compile(r"[0-9\s+\-*/%<>=!&|^~?:,]+")
_CALCULATION_SETS: Final = re.compile(r"(?<![=!<>])=(?!=)|<<=|>>=|\+\+|--")
_STRANGE_RANGE: Final = re.compile(r"\{(?:[A-Z]\.\.[a-z]|[a-z]\.\.[A-Z])")
_CALCULATED_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


class Unreadable(Exception):
    """The text cannot be parsed. The message is the reason, shown to people."""


class Lexer:
    """A position in a text. `end` is moved while a part of the text is read that ends earlier."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.position = 0
        self.end = len(text)
        self.depth = 0

    def script_until(self, closing: str) -> Script:
        raise NotImplementedError

    def at(self, text: str) -> bool:
        return self.text.startswith(text, self.position, self.end)

    def peek(self) -> str:
        return self.text[self.position] if self.position < self.end else ""

    def skip_blanks(self) -> None:
        if found := _BLANK.match(self.text, self.position, self.end):
            self.position = found.end()

    def word(self) -> Word:
        """Read the word at the current position. Raises Unreadable if there is none."""
        start = self.position
        parts: list[Part] = []
        while self.position < self.end and self._part_of_word(parts):
            pass
        if self.position == start:
            raise Unreadable("a word was expected")
        if _STRANGE_RANGE.search(self.text, start, self.position):
            raise Unreadable("a range such as {A..z} contains special characters")
        return Word(tuple(parts), self.text[start : self.position], start, self.position)

    def assignment(self) -> Assignment | None:
        """Read `name=value` at the current position; return None if there is no assignment."""
        found = _ASSIGNMENT.match(self.text, self.position, self.end)
        if not found:
            return None
        start = self.position
        self.position = value_start = found.end()
        if self.peek() == "(":
            elements = self._array()
            value = Word((), self.text[value_start : self.position], value_start, self.position)
            return Assignment(found[1], value, plain=False, source=self.text[start : self.position], elements=elements)
        parts: list[Part] = []
        while self.position < self.end and self._part_of_word(parts):
            pass
        value = Word(tuple(parts), self.text[value_start : self.position], value_start, self.position)
        plain = not found[2] and not found[3]
        if found[2] and not re.fullmatch(r"\[\d+\]", found[2]):
            raise Unreadable("an array subscript is an expression, which can run commands")
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
            elif self.peek() in {"[", "#"}:
                raise Unreadable("an array has subscripts or comments")
            else:
                elements.append(self.word())

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
        if self.position + 1 >= self.end:
            raise Unreadable("there is a backslash at the end")
        char = self.text[self.position + 1]
        self.position += 2
        if char != "\n":
            parts.append(Text(char, quoted=True))

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
        self.position += 2
        if char == "\n":
            return ""
        return char if char and char in escaped else f"\\{char}"

    def _backticks(self, *, quoted: bool) -> Substitution:
        closing = self.text.find("`", self.position + 1, self.end)
        if closing < 0:
            raise Unreadable("a backtick is not closed")
        if self.text.find("\\", self.position, closing) >= 0 or (
            quoted and self.text.find('"', self.position, closing) >= 0
        ):
            raise Unreadable("there are quotes or backslashes inside backticks")
        end, self.end = self.end, closing
        self.position += 1
        script = self.script_until("")
        self.position, self.end = closing + 1, end
        return Substitution(script, quoted)

    def _dollar(self, *, quoted: bool) -> Part:
        self.position += 1
        if self.at("(("):
            return self._arithmetic(quoted=quoted)
        if self.at("("):
            self.position += 1
            return Substitution(self.script_until(")"), quoted)
        if self.at("{"):
            return self._braced(quoted=quoted)
        if self.at("[") or (not quoted and self.at('"')):
            raise Unreadable("an old or rare kind of expansion is used")
        if not quoted and self.at("'"):
            return self._ansi_quoted()
        found = _NAME.match(self.text, self.position, self.end) or _SPECIAL.match(self.text, self.position, self.end)
        if not found:
            return Text("$", quoted)
        self.position = found.end()
        return Parameter(found[0], quoted, several=found[0] == "@")

    def _ansi_quoted(self) -> Part:
        found = decode(self.text, self.position, self.end)
        if found is None:
            raise Unreadable("a quote of the form $'...' cannot be decoded")
        text, self.position = found
        return Text(text, quoted=True)

    def _braced(self, *, quoted: bool) -> Part:
        if found := _BRACED_PLAIN.match(self.text, self.position, self.end):
            self.position = found.end()
            return Parameter(found[1], quoted, several=found[1] == "@")
        if found := _BRACED_LENGTH.match(self.text, self.position, self.end):
            self.position = found.end()
            return Arithmetic((), quoted)
        found = _BRACED_START.match(self.text, self.position, self.end)
        operator = _OPERATOR.match(self.text, found.end(), self.end) if found else None
        if not found or not operator:
            raise Unreadable("a parameter expansion can run commands or cannot be parsed")
        self.position = operator.end()
        inner = self._inside_braces()
        several = found[1] == "@" or found[2] == "[@]" or any(_is_several(part) for part in inner)
        return Parameter(found[1], quoted, plain=False, inner=inner, several=several)

    def _inside_braces(self) -> tuple[Part, ...]:
        self._deeper()
        parts: list[Part] = []
        while self.position < self.end:
            if found := _IN_BRACES.match(self.text, self.position, self.end):
                self.position = found.end()
                continue
            char = self.peek()
            if char == "}":
                self.position += 1
                self.depth -= 1
                return tuple(parts)
            if char == "'":
                raise Unreadable("there are single quotes inside a parameter expansion")
            self._part_of_word(parts)
        raise Unreadable("a brace is not closed")

    def _arithmetic(self, *, quoted: bool) -> Arithmetic:
        """Read from `((` to the matching `))`. bash evaluates names in it recursively, which can run commands."""
        self._deeper()
        self.position += 2
        start = self.position
        names: list[str] = []
        inner: list[Part] = []
        open_ = 0
        while self.position < self.end:
            if found := _CALCULATION.match(self.text, self.position, self.end):
                self.position = found.end()
            elif found := _CALCULATED_NAME.match(self.text, self.position, self.end):
                names.append(found[0])
                self.position = found.end()
            elif self.at("))") and not open_:
                sets = _CALCULATION_SETS.search(self.text, start, self.position)
                self.position += 2
                self.depth -= 1
                doubt = "an arithmetic expression sets a variable" if sets else ""
                return Arithmetic(tuple(names), quoted, doubt, inner=tuple(inner))
            elif self.peek() in "()":
                open_ += 1 if self.peek() == "(" else -1
                self.position += 1
            elif self.peek() == "$":
                part = self._dollar(quoted=True)
                inner.append(part)
            else:
                raise Unreadable("an arithmetic expression contains more than numbers and names")
            if open_ < 0:
                raise Unreadable("the brackets of an arithmetic expression do not match")
        raise Unreadable("an arithmetic expression is not closed")

    def calculation(self) -> Arithmetic:
        return self._arithmetic(quoted=True)

    def _deeper(self) -> None:
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise Unreadable("the command is nested too deeply")


def _is_several(part: Part) -> bool:
    """Return whether a part expands to several words even in quotes, as `${a:-"$@"}` does."""
    return isinstance(part, Parameter) and part.several
