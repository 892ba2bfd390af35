"""Parser for conditions, `[[ ... ]]`, and the check that evaluating one runs no command.

Only operators in the tables below are read. In most other positions bash evaluates a text as an arithmetic expression.
"""

import re
from collections.abc import Callable, Sequence
from typing import Final

from tools_app.permission.names import names
from tools_app.permission.shell.cursor import Unreadable
from tools_app.permission.shell.lists import ListReader
from tools_app.permission.shell.syntax import Condition, Node, Test, Word
from tools_app.permission.shell.words import UNKNOWN, Field

FILE_TESTS: Final = names("-a -b -c -d -e -f -g -h -k -p -r -s -u -w -x -G -L -N -O -S")
FILE_COMPARISONS: Final = names("-nt -ot -ef")
_TEXT_TESTS: Final = names("-n -z")
_NAME_TESTS: Final = names("-v")
_UNARY: Final = FILE_TESTS | _TEXT_TESTS | _NAME_TESTS
_TEXT_COMPARISONS: Final = names("= == != =~ < >")
_CALCULATIONS: Final = names("-eq -ne -lt -le -gt -ge")
_BINARY: Final = _TEXT_COMPARISONS | _CALCULATIONS | FILE_COMPARISONS
_END: Final = re.compile(r"\]\](?=[\s;&|)`]|$)")
_SIGNS: Final = re.compile(r"[]!&|<>()]+")
_NEGATION: Final = re.compile(r"!(?=[ \t(])")
_NAME: Final = re.compile(r"[A-Za-z_]\w*", re.ASCII)
_NUMBER: Final = re.compile(r"-?(?:0|[1-9][0-9]{0,15})")


class ConditionReader(ListReader):
    """The part of the shell parser that reads conditions: `[[ ... ]]`."""

    def _condition(self) -> Node:
        self.marks.add(("command", self.position))
        self.position += 2
        tests: list[Test] = []
        self._alternatives(tests)
        self._skip_lines_of_condition()
        if not self._at_end_of_condition():
            raise Unreadable("the end of a condition was expected")
        self.position += 2
        return Condition(tuple(tests), self._redirections())

    def _alternatives(self, tests: list[Test]) -> None:
        """Read the tests that `&&` and `||` connect in `[[ ... ]]`. All of them are read, whichever bash would
        evaluate."""
        self._deeper()
        while True:
            self._negated_test(tests)
            self.skip_blanks()
            self.join_ahead(_SIGNS)
            if not (self.at("&&") or self.at("||")):
                break
            self.position += 2
        self.depth -= 1

    def _negated_test(self, tests: list[Test]) -> None:
        self._skip_lines_of_condition()
        self.join_ahead(_SIGNS)
        while _NEGATION.match(self.text, self.position, self.end):
            self.position += 1
            self._skip_lines_of_condition()
        if self.peek() != "(":
            tests.append(self._test())
            return
        self.position += 1
        self._alternatives(tests)
        self._skip_lines_of_condition()
        if self.peek() != ")":
            raise Unreadable("a bracket of a condition is not closed")
        self.position += 1

    def _test(self) -> Test:
        first = self._word_of_condition()
        self.skip_blanks()
        if first.source in _UNARY:
            return Test(first.source, (self._word_of_condition(),))
        if first.source.startswith("-") and len(first.source) == 2 and not first.source[1].isdigit():
            raise Unreadable(f"the test `{first.source}` is not analysed")
        operator = next((each for each in ("<", ">") if self.at(each)), "")
        if operator:
            self.position += 1
        elif self.peek() in {"&", "|", ")", "\n"} or self._at_end_of_condition():
            return Test("", (first,))
        else:
            operator = self._word_of_condition().source
        if operator not in _BINARY:
            raise Unreadable(f"the operator `{operator}` of a condition is not analysed")
        self.skip_blanks()
        return Test(operator, (first, self._word_of_condition()))

    def _word_of_condition(self) -> Word:
        if self._at_end_of_condition():
            raise Unreadable("a condition ends too early")
        return self.word()

    def _skip_lines_of_condition(self) -> None:
        self._skip_lines()
        if self._waiting:
            raise Unreadable("a here-document starts before a condition ends")

    def _at_end_of_condition(self) -> bool:
        self.join_ahead(_SIGNS)
        return _END.match(self.text, self.position, self.end) is not None


def doubts_of_test(test: Test, operands: Sequence[Sequence[Field]]) -> list[str]:
    """Return the reasons why evaluating the test may do more than compare values. `operands` are its expanded words."""
    checks: dict[str, Callable[[Field], bool]] = dict.fromkeys(_NAME_TESTS, _is_name)
    checks |= dict.fromkeys(_CALCULATIONS, _is_number)
    check = checks.get(test.operator)
    if check is None or all(check(each) for fields in operands for each in fields):
        return []
    return ["a condition evaluates a value that is not a plain number or name"]


def _is_name(field: Field) -> bool:
    return field.known and field.pattern is None and _NAME.fullmatch(field.text) is not None


def _is_number(field: Field) -> bool:
    if field.number:
        return field.text in {UNKNOWN, f"-{UNKNOWN}"}
    return field.known and _NUMBER.fullmatch(field.text) is not None
