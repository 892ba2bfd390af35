"""Rules for statements that change a variable in place: `$x =~ tr/a/b/`, Perl's `y/a/b/` and `chop`.

They are written as assignments, which other rules calculate: `$x = $x.replace("a", "b")`. Where Perl names no variable,
it means `$_`.
"""

import re
from collections.abc import Callable, Sequence
from typing import Final

from tools_app.permission.shell.constant_patterns import SIGN_ONLY, Rule, rule
from tools_app.permission.shell.constant_replacements import with_ranges
from tools_app.permission.shell.literal_code import Literals

_PLAIN: Final = r"\^?(?:[\w -]|\\?\.|\\[/-]){1,40}(?:\$|\\z)?"
"""A regular expression that matches one text only, perhaps only at the beginning or at the end."""
_DELIMITED: Final = (
    rf"(?P<by>[/|,!#])(?P<old>{_PLAIN})(?P=by)(?P<new>[\w./ -]{{0,40}})(?P=by)(?P<flags>\w{{0,4}})",
    rf"\{{(?P<old>{_PLAIN})\}}\s{{0,3}}\{{(?P<new>[\w./ -]{{0,40}})\}}(?P<flags>\w{{0,4}})",
)
_CHANGES: Final = tuple(rf"(?<![\w$@%>.-])(?P<how>tr|y|s){each}" for each in _DELIMITED)
_S: Final = r"\s{0,3}"
_BINDS: Final = rf"{_S}=\x7e{_S}"


def _call(literals: Literals, found: re.Match[str]) -> str:
    """Return the call of a method that makes the same change."""
    old, new = (literals.of(each) if SIGN_ONLY.fullmatch(each) else each for each in (found["old"], found["new"]))
    given = found.groupdict()
    if (given.get("how") or "s") == "s":
        return f".sub({literals.add(old)},{literals.add(new)})"
    one, other = with_ranges(old), with_ranges(new)
    if "d" not in (given["flags"] or ""):
        return f".tr({literals.add(one)},{literals.add(other or one)})"
    deleted = "".join(f".replace({literals.add(each)},{literals.add('')})" for each in one[len(other) :])
    return f"{deleted}.tr({literals.add(one[: len(other)])},{literals.add(other)})" if other else deleted


def _assigned(literals: Literals, found: re.Match[str]) -> str:
    """Return the assignment of a changed value to the variable that the pattern names, otherwise to `$_`."""
    name = found.groupdict().get("name") or "$_"
    source = found.groupdict().get("source") or name
    if "r" in (found.groupdict().get("flags") or ""):  # the changed text is a value of its own
        return f"{source}{_call(literals, found)}"
    return f"{name} = {source}{_call(literals, found)}"


def _each(name: str) -> Callable[[Literals, re.Match[str]], str]:
    return lambda _, found: f"{{ {found['name'] or name} = {found['value']};"


def _of_perl(change: str) -> Sequence[Rule]:
    """Return the rules for one notation of `s`, `tr` and `y`."""
    return (
        rule(
            "=\x7e",
            rf"\({_S}(?:my\s{{1,3}})?(?P<name>\$\w{{1,40}}){_S}={_S}(?P<source>\$\w{{1,40}}|§){_S}\){_BINDS}{change}",
            _assigned,
        ),
        rule("=\x7e", rf"(?P<name>\$\w{{1,40}}){_BINDS}{change}", _assigned),
        rule("=\x7e", rf"(?P<source>§){_BINDS}{change}", _assigned),
        rule("for", rf"{change}\s{{1,3}}for(?:each)?\s{{1,3}}(?P<name>\$\w{{1,40}})", _assigned),
        rule("$_", rf"(?<!\x7e)(?<!\x7e ){change}", _assigned),
    )


EDITS: Final[Sequence[Rule]] = (
    rule(
        "for",
        rf"\bfor(?:each)?\b(?:\s{{1,3}}my\b)?(?:\s{{1,3}}(?P<name>\$\w{{1,40}}))?{_S}\(?{_S}(?P<value>§){_S}\)?{_S}\{{",
        _each("$_"),
    ),
    *(each for change in _CHANGES for each in _of_perl(change)),
    rule(
        "chop",
        rf"\bchop\b{_S}\(?{_S}(?P<name>\$\w{{1,40}})?{_S}\)?(?={_S}[;}}])",
        lambda _, found: _chopped(found["name"] or "$_"),
    ),
    rule("$_", r"(?<![.\w>])(lc|uc|lcfirst|ucfirst|reverse)\b(?=\s{0,3}[;)}])", lambda _, found: f"{found[1]}($_)"),
)


def _chopped(name: str) -> str:
    return f"{name} = {name}[0:-1]"
