"""Simulates `sed`: substitutions and transliterations of each line."""

import re
from collections.abc import Callable, Sequence
from typing import Final

from tools_app.permission.shell.rehearsal.character_sets import translated
from tools_app.permission.shell.rehearsal.expressions import MAX_LINE, compiled, replacement
from tools_app.permission.shell.rehearsal.guess import Guess
from tools_app.permission.shell.rehearsal.options import given_options

_PART: Final = r"((?:(?!\2)[^\\]|\\.)*)"
_COMMAND: Final = re.compile(rf"([sy])([^\w\s\\]){_PART}\2{_PART}\2([gIipmM0-9]*)", re.DOTALL)
_IS_PLAIN: Final = re.compile(r"[^&|(){}+?.*^$\[\]]")
_BETWEEN: Final = re.compile(r"[\s;{}]*")
_EXTENDED: Final = re.compile(r"-\w*[Er]\w*|--regexp-extended")
_MAX_COMMANDS: Final = 50
_Change = Callable[[str, bool], tuple[str, bool]]


def edited(args: Sequence[str], text: str) -> str:
    """Return the output of `sed`; a guess if an option or a command is not simulated."""
    given = given_options("sed", args)
    certain = given is not None
    scripts = [value for each, value in given.pairs if each == "e"] if given else _scripts(args)
    scripts = scripts or (list(given.operands[:1]) if given else [each for each in args if each[:1] != "-"][:1])
    kind = "P" if given and "P" in given.options else "E" if any(map(_EXTENDED.fullmatch, args)) else "G"
    silent = given is not None and "n" in given.options
    lines = [(line, not silent) for line in text.rstrip("\n").split("\n")]
    for script in filter(None, scripts):
        certain = certain and not _BETWEEN.sub("", _COMMAND.sub("", script))
        for number, found in enumerate(_COMMAND.finditer(script)):
            changes = _changes(found, kind) if number < _MAX_COMMANDS else None
            certain = certain and changes is not None and all(len(line) <= MAX_LINE for line, _ in lines)
            lines = [changes(line, shown) for line, shown in lines] if changes else lines
    shown = [line for line, its in lines if its or not certain]
    printed = "".join(f"{line}\n" for line in shown)
    return printed if certain else Guess(printed)


def _scripts(args: Sequence[str]) -> list[str]:
    """Return the scripts among arguments with unknown options."""
    found = []
    for at, arg in enumerate(args):
        if joined := re.fullmatch(r"(?:-e|--expression=)(.*)", arg, re.DOTALL):
            found.append(joined[1] or "".join(args[at + 1 : at + 2]))
    return found


def _changes(found: re.Match[str], kind: str) -> _Change | None:
    """Return the function that a command of `sed` applies to a line and to whether it is printed; None if that is not
    known."""
    command, mark, old, new, flags = found.groups()
    old, new = (each.replace(f"\\{mark}", mark) if _IS_PLAIN.match(mark) else each for each in (old, new))
    if command == "y":
        return lambda line, shown: (translated(old, new, line), shown)
    pattern = compiled(old, kind, ignores_case="i" in flags.lower())
    change = replacement(new, pattern.groups) if pattern else None
    if pattern is None or change is None or re.search(r"[mM0-9]", flags):
        return None

    def changed(line: str, shown: bool) -> tuple[str, bool]:
        if len(line) > MAX_LINE:
            return line, shown
        result, count = pattern.subn(change, line, count=0 if "g" in flags else 1)
        return result, shown or ("p" in flags and count > 0)

    return changed
