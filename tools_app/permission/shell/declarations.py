"""Builtins that set variables: `export`, `declare`, `typeset`, `local`, `readonly`, `unset`, `read`, `printf`.

A value counts as known only if the builtin certainly sets it. Options that are not listed here make the analysis
incomplete, because most of them change what later assignments do.
"""

import re
from collections.abc import Sequence
from typing import Final

from tools_app.permission.shell.assignments import is_harmless, is_powerful, may_name_files
from tools_app.permission.shell.options import may_split, parse_arguments
from tools_app.permission.shell.outcome import ExitStates
from tools_app.permission.shell.specs import spec
from tools_app.permission.shell.state import State
from tools_app.permission.shell.walking import Walker
from tools_app.permission.shell.words import Field, Value

_NAME: Final = re.compile(r"[A-Za-z_]\w*", re.ASCII)
_READ: Final = spec("rse", "-p: -t: -n: -N: -d: -a: -u: -i:")
_NO_NAME_AT_END: Final = re.compile(r"[^\w\0\]][^\0\]]*$", re.ASCII)
"""The known end of a word that cannot be `-v` with the name of a variable."""
_SETS_A_COUNT: Final = re.compile(r"%[-+ #0'*.\d]*[hjlLtz]*n")


def export(walk: Walker, args: Sequence[Field], state: State) -> ExitStates:
    return _declare(walk, args, state, options=frozenset())


def declare(walk: Walker, args: Sequence[Field], state: State) -> ExitStates:
    return _declare(walk, args, state, options=frozenset({"-x"}))


def local(walk: Walker, args: Sequence[Field], state: State) -> ExitStates:
    walk.record.doubt("`local` fails outside of a function")
    return _declare(walk, args, state, options=frozenset())


def readonly(walk: Walker, args: Sequence[Field], state: State) -> ExitStates:
    walk.record.doubt("a variable becomes read-only, so that later assignments fail")
    return _declare(walk, args, state, options=frozenset())


def _declare(walk: Walker, args: Sequence[Field], state: State, *, options: frozenset[str]) -> ExitStates:
    if args and args[0].text == "-p" and not any(may_split(each) or "=" in each.text for each in args):
        return ExitStates(state, state)  # it prints
    for arg in args:
        if arg.text.startswith("-"):
            if arg.text not in options:
                walk.record.doubt(f"`{arg.source or arg.text}` changes the type or attributes of a variable")
        elif may_split(arg):
            walk.record.doubt(f"`{arg.source}` may set several variables")
        else:
            state = _declared(walk, arg, state)
    return ExitStates(state, state)


def _declared(walk: Walker, arg: Field, state: State) -> State:
    name, equals, value = arg.text.partition("=")
    appends, name = name.endswith("+"), name.removesuffix("+")
    if not _NAME.fullmatch(name):
        walk.record.doubt("a variable is set whose name is not known")
        return state
    source = "" if appends else arg.source.partition("=")[2]
    for_project = bool(source) and walk.is_for_project(name, source, state)
    if not (for_project or is_harmless(name)):  # even without a value: `export` passes a shell variable on to programs
        walk.record.doubt(f"the command sets {name}, which can change what runs")
    if not equals:
        for each in state.environment().lookup(name):
            walk.value_names(name, each.text, state)
        return state
    if may_name_files(name, arg.text):
        walk.value_names(name, source or value, state)
    return state.assigned(name, (Value(value),) if arg.known and not appends else ())


def unset(walk: Walker, args: Sequence[Field], state: State) -> ExitStates:
    for arg in args:
        if arg.text.startswith("-"):
            if arg.text != "-v":
                walk.record.doubt("`unset` removes a function or a reference")
        else:
            state = set_unknown(walk, arg, state)
    return ExitStates(state, state)


def read(walk: Walker, args: Sequence[Field], state: State) -> ExitStates:
    found = parse_arguments("read", args, _READ)
    for doubt in found.doubts:
        walk.record.doubt(doubt)
    names = [*found.operands, *(value for name, value in found.options if name == "-a" and value)]
    for name in names or [Field("REPLY")]:
        state = set_unknown(walk, name, state)
    return ExitStates(state, state)


def printf(walk: Walker, args: Sequence[Field], state: State) -> ExitStates:
    rest = list(args)
    if len(rest) > 1 and rest[0].text == "-v":
        state = set_unknown(walk, rest[1], state)
        rest = rest[2:]
    if rest and rest[0].text == "--":
        rest = rest[1:]
    elif rest and rest[0].text.startswith("-"):
        walk.record.doubt(f"the option `{rest[0].source or rest[0].text}` of `printf` is not known")
    elif rest and not rest[0].known and not (rest[0].before or _NO_NAME_AT_END.search(rest[0].text)):
        walk.record.doubt(f"`{rest[0].source}` may become an option of `printf`")
    for doubt in _doubts_of_format(rest):
        walk.record.doubt(doubt)
    return ExitStates(state, state)


def _doubts_of_format(words: Sequence[Field]) -> list[str]:
    """Return a reason why the analysis is incomplete if the format of `printf` is unknown, or contains `%n`, which sets
    a variable."""
    if not words or (len(words) == 1 and not may_split(words[0])):
        return []
    plain = words[0].text.replace("%%", "")
    if words[0].known and words[0].pattern is None and not _SETS_A_COUNT.search(plain):
        return []
    return ["the format of `printf` may set a variable"]


def set_unknown(walk: Walker, name: Field, state: State) -> State:
    """Return the state in which the value of the variable `name` is unknown."""
    if not name.known or name.pattern is not None or not _NAME.fullmatch(name.text):
        walk.record.doubt("a variable is set whose name is not known")
        return state
    if is_powerful(name.text):
        walk.record.doubt(f"the command sets {name.text}, which can change what runs")
    return state.assigned(name.text, ())
