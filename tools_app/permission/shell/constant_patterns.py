"""Patterns of expressions with a constant value, and functions that compute such values from literals."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from tools_app.permission.shell.literal_code import SIGN, Literals

MAX_TEXT: Final = 1_000  # characters
MAX_PARTS: Final = 100  # into which a text is split
_LAST_CODE_POINT: Final = 0x10FFFF

_NUMBER: Final = r"(?:0x[0-9a-fA-F]{1,5}|0o[0-7]{1,7}|0b[01]{1,21}|\d{1,7})"
_NOTATION: Final = (
    ("<list>", r"[\[(]~(§+)~,?~[\])]"),
    ("<numbers>", r"(<number>(?:~,~<number>){0,99})"),
    ("<given>", r"((?:<key>)?(?:§|<number>(?!\w))(?:~,~(?:<key>)?(?:§|<number>(?!\w))){0,99})"),
    ("<key>", r"(?:\w{1,40}|§)~(?:=>|[:=])~"),
    ("<pairs>", r"\{~(§~(?::|=>)~§(?:~,~§~(?::|=>)~§)*)~,?~\}"),
    ("§+", "§(?:~,~§)*"),
    ("§", SIGN),
    ("<number>", _NUMBER),
)
"""Abbreviations in patterns: `§` stands for a literal, `§+` for several, `~` for any blanks."""
_OPTIONAL: Final = re.compile(r"~(\\.|,|\[(?:\\.|[^\]\\])+\])\?~")
"""An optional sign between blanks. Blanks must have only one reading, or long ones take a long time."""
SIGN_ONLY: Final = re.compile(SIGN)
Calculated = Callable[[Literals, re.Match[str]], str]


@dataclass(frozen=True, slots=True)
class Rule:
    """A pattern of expressions, and the function that returns their value. `hint` is a text that each such expression
    contains."""

    hint: str
    pattern: re.Pattern[str]
    calculated: Calculated

    def applied(self, code: str, literals: Literals) -> str:
        """Return the code with the expressions that match this rule's pattern replaced by their values."""
        if self.hint not in code:
            return code
        return self.pattern.sub(lambda found: self.calculated(literals, found), code)


def rule(hint: str, pattern: str, calculated: Calculated) -> Rule:
    """Return a rule for a pattern, in which the abbreviations of this module are expanded."""
    for short, its in _NOTATION:
        pattern = pattern.replace(short, its)
    pattern = _OPTIONAL.sub(r"~(?:\1~)?", pattern).replace("~", r"\s*")
    return Rule(hint, re.compile(pattern, re.DOTALL), calculated)


def of_texts(change: Callable[..., str]) -> Calculated:
    """Return a function for a rule: it calls `change` with the texts of the matched groups, and adds the result as a
    new literal."""

    def calculated(literals: Literals, found: re.Match[str]) -> str:
        return literals.add(change(*(literals.of(each) for each in found.groups() if each))[:MAX_TEXT])

    return calculated


def listed(change: Callable[..., Sequence[str]]) -> Calculated:
    """Return a function for a rule: it calls `change` with the texts of the matched groups, and returns a list
    expression of new literals for the resulting texts."""

    def calculated(literals: Literals, found: re.Match[str]) -> str:
        texts = change(*(literals.of(each) for each in found.groups() if each))
        return f"[{','.join(literals.add(each) for each in texts[:MAX_PARTS])}]"

    return calculated


def number(text: str) -> int:
    """Return the value of a number in decimal, hexadecimal, octal or binary digits."""
    return int(text, 0 if text[1:2] in {"x", "o", "b"} else 10)


def character(code_point: int) -> str:
    """Return the character with this code point; an empty text if no character has it."""
    return chr(code_point) if code_point <= _LAST_CODE_POINT else ""
