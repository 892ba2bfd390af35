"""Parser for expansions that begin with a dollar sign or a backtick: parameters, substitutions, arithmetic.

Only forms with an unambiguous meaning are read; all others raise Unreadable.
"""

import re
from typing import Final

from tools_app.permission.shell.ansi_quoting import decode
from tools_app.permission.shell.calculations import is_plain
from tools_app.permission.shell.cursor import CONTINUATION, Cursor, Unreadable
from tools_app.permission.shell.syntax import Arithmetic, Parameter, Part, Substitution, Text

_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_SPECIAL: Final = re.compile(r"[0-9@*#?$!\-]")
_BRACED_PLAIN: Final = re.compile(r"\{([A-Za-z_][A-Za-z0-9_]*|[0-9]+|[@*#?$!\-])\}")
_BRACED_LENGTH: Final = re.compile(r"\{#([A-Za-z_][A-Za-z0-9_]*|[0-9]+|[@*])\}")
_BRACED_START: Final = re.compile(r"\{([A-Za-z_][A-Za-z0-9_]*|[0-9]+|[@*])(\[(?:[@*]|0|[1-9][0-9]{0,5})\])?")
_OPERATOR: Final = re.compile(r":[-+?]|[-+?]|##?|%%?|//?|\^\^?|,,?|:\d{1,6}(?::\d{1,6})?(?=\})|(?=\})", re.ASCII)
_IN_NAME_OR_OPERATOR: Final = re.compile(r"[\w{\[\]@*#?$!:+%/^,-]+", re.ASCII)
_IN_BRACES: Final = re.compile(r"[^\"'\\$`}<>{]+")
_USES_WORD: Final = re.compile(r":?[-+?]")
_EXPANDED: Final = re.compile(r"[*?\[~]")
_CALCULATION: Final = re.compile(r"[0-9\s+\-*/%<>=!&|^~?:,]+", re.ASCII)


class ExpansionReader(Cursor):
    def _part_of_word(self, parts: list[Part]) -> bool:
        raise NotImplementedError

    def _backticks(self, *, quoted: bool) -> Substitution:
        closing = self.text.find("`", self.position + 1, self.end)
        if closing < 0:
            raise Unreadable("a backtick is not closed")
        if self.text.find("\\", self.position, closing) >= 0 or (
            quoted and self.text.find('"', self.position, closing) >= 0
        ):
            raise Unreadable("there are quotes or backslashes inside backticks")
        end, self.end = self.end, closing
        self.marks.add(("expansion", self.position))
        self.position += 1
        script = self.script_until("")
        self.position, self.end = closing + 1, end
        return Substitution(script, quoted)

    def _dollar(self, *, quoted: bool) -> Part:
        start = self.position
        part = self._after_dollar(quoted=quoted)
        if not isinstance(part, Text):
            self.marks.add(("expansion", start))
        return part

    def _after_dollar(self, *, quoted: bool) -> Part:
        start = self.position
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
        open_ = not quoted and _NAME.fullmatch(self.text, start + 1, self.position) is not None
        return Parameter(found[0], quoted, several=found[0] == "@", open=open_)

    def _ansi_quoted(self) -> Part:
        found = decode(self.text, self.position, self.end)
        if found is None:
            raise Unreadable("a quote of the form $'...' cannot be decoded")
        text, self.position = found
        return Text(text, quoted=True)

    def _braced(self, *, quoted: bool) -> Part:
        self.join_ahead(_IN_NAME_OR_OPERATOR)
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
        start = self.position = operator.end()
        inner = self._inside_braces()
        if not quoted and _USES_WORD.match(operator[0]) and _EXPANDED.search(self.text, start, self.position):
            raise Unreadable("a parameter expansion contains a glob or a home directory")
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
            if char in {"'", "{"}:
                raise Unreadable("there are single quotes or braces inside a parameter expansion")
            if not self._part_of_word(parts):
                self.position += 1
        raise Unreadable("a brace is not closed")

    def _arithmetic(self, *, quoted: bool) -> Arithmetic:
        """Read an arithmetic expression from `((` to the matching `))`. bash evaluates the names in it recursively,
        which can run commands."""
        self._deeper()
        self.position += 2
        names: list[str] = []
        inner: list[Part] = []
        plain = ""
        open_ = 0
        while self.position < self.end:
            start = self.position
            if self.at("))") and not open_:
                self.position += 2
                self.depth -= 1
                doubt = "" if is_plain(plain) else "an arithmetic expression sets a variable or may fail"
                return Arithmetic(tuple(names), quoted, doubt, inner=tuple(inner))
            if found := _CALCULATION.match(self.text, self.position, self.end):
                self.position = found.end()
            elif found := _NAME.match(self.text, self.position, self.end):
                names.append(found[0])
                self.position = found.end()
            elif self.peek() in "()":
                open_ += 1 if self.peek() == "(" else -1
                self.position += 1
            elif self.peek() == "$":
                inner.append(self._dollar(quoted=True))
                plain += "\0"
                continue
            else:
                self._refuse_in_arithmetic()
            plain += self.text[start : self.position]
            if open_ < 0:
                raise Unreadable("the brackets of an arithmetic expression do not match")
        raise Unreadable("an arithmetic expression is not closed")

    def _refuse_in_arithmetic(self) -> None:
        if self.at(CONTINUATION):
            self.refuse_continuation()
        raise Unreadable("an arithmetic expression contains more than numbers and names")

    def calculation(self) -> Arithmetic:
        return self._arithmetic(quoted=True)


def _is_several(part: Part) -> bool:
    """Return whether a part expands to several words even in quotes, as `${a:-"$@"}` does."""
    return isinstance(part, Parameter) and part.several
