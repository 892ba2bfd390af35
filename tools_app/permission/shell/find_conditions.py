"""Conditions: the known facts about the files for which `find` reaches an action.

An action is reached if all tests before it in its own list are true, and all tests before each parenthesis around it.
Other branches of `-o` and `,` are irrelevant, and a test after `!` is ignored here.
"""

from dataclasses import dataclass, field
from typing import Final

from tools_app.permission.names import names
from tools_app.permission.shell.usage import PLAIN_GLOB
from tools_app.permission.shell.words import Field

_NOT: Final = names("! -not")
_OR: Final = names("-o -or")
_NO_LINKS: Final = names("f d")


@dataclass(frozen=True, slots=True)
class Certain:
    """Facts that are true for every file for which `find` reaches an action."""

    names: tuple[str, ...] = ()
    """Globs, one of which matches the name of the file; empty: any name."""
    no_links: bool = False
    """True if the file is not a symbolic link."""

    def and_also(self, other: "Certain") -> "Certain":
        return Certain(self.names or other.names, self.no_links or other.no_links)

    def or_else(self, other: "Certain") -> "Certain":
        both = self.names and other.names
        either = tuple(dict.fromkeys((*self.names, *other.names))) if both else ()
        return Certain(either, self.no_links and other.no_links)


@dataclass(slots=True)
class _List:
    """A list of tests of `find`: the whole expression or a part in parentheses."""

    negated: bool = False
    alternatives: list[Certain] = field(default_factory=list)
    """The facts that are certain after each of the branches before the last `-o`."""
    current: Certain = Certain()

    @property
    def result(self) -> Certain:
        result = self.current
        for each in self.alternatives:
            result = result.or_else(each)
        return Certain() if self.negated else result


class Conditions:
    """The facts that the tests of a `find` command establish. Pass the tests and operators one after the other."""

    def __init__(self) -> None:
        self._lists = [_List()]
        self._negated = False

    @property
    def certain(self) -> Certain:
        """The facts that are true for every file for which an action at the current position is reached."""
        found = Certain()
        for each in self._lists:
            found = found.and_also(each.current)
        return found

    def test(self, name: str, value: Field | None) -> None:
        """Add a test of `find`, such as `-name` with its value, or an action to the conditions so far."""
        self._add(Certain() if self._negated else _certain(name, value))

    def operator(self, text: str) -> None:
        """Add an operator of a `find` expression: `!`, `-o`, `,` or a parenthesis."""
        if text in _NOT:
            self._negated = True
        elif text == "(":
            self._lists.append(_List(negated=self._negated))
            self._negated = False
        elif text == ")" and len(self._lists) > 1:
            self._add(self._lists.pop().result)
        elif text in _OR:
            self._lists[-1].alternatives.append(self._lists[-1].current)
            self._lists[-1].current = Certain()
        else:  # a comma, which begins anew, or a parenthesis that was not opened
            self._lists[-1].alternatives.clear()
            self._lists[-1].current = Certain()

    def _add(self, found: Certain) -> None:
        self._negated = False
        self._lists[-1].current = self._lists[-1].current.and_also(found)


def _certain(name: str, value: Field | None) -> Certain:
    if value is None or not value.known or value.pattern is not None:
        return Certain()
    if name == "-name" and PLAIN_GLOB.fullmatch(value.text):
        return Certain(names=(value.text,))
    return Certain(no_links=name == "-type" and value.text in _NO_LINKS)
