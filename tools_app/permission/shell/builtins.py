"""Builtins of bash that change the state for later commands: working directory, variables, shell options."""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Final, Protocol

from tools_app.permission.shell import paths
from tools_app.permission.shell.assignments import is_harmless, is_powerful
from tools_app.permission.shell.names import names
from tools_app.permission.shell.options import ArgumentKind, parse_arguments, spec
from tools_app.permission.shell.outcome import ExitStates
from tools_app.permission.shell.record import Record
from tools_app.permission.shell.state import State
from tools_app.permission.shell.words import Field, Value

_NAME: Final = re.compile(r"[A-Za-z_]\w*")
_SET_FLAGS: Final = re.compile(r"[-+][euxvfnhbmE]*o?")
_SET_OPTIONS: Final = names("pipefail errexit nounset xtrace verbose noglob noclobber errtrace functrace noexec")
_CD: Final = spec("LPe@", "", "e", stops=False)
_READ: Final = spec("rse", "-p: -t: -n: -N: -d: -a: -u: -i:")
_DECLARE_FLAGS: Final = re.compile(r"-[xgp]+")
_TRAPS_AT_THE_END: Final = names("EXIT 0 SIGEXIT exit")


class Walker(Protocol):
    """The part of the script walker that the builtins use."""

    record: Record

    def touch(self, field: Field, kind: ArgumentKind, state: State, *, deep: bool = False) -> None: ...

    def nested(self, text: str, state: State) -> None: ...


def _change_directory(walk: Walker, args: Sequence[Field], state: State) -> ExitStates:
    found = parse_arguments("cd", args, _CD)
    if found.doubts or len(found.operands) > 1 or any(each.split and not each.known for each in args):
        walk.record.doubt("the target directory of `cd` is not known")
        return ExitStates(state.in_folders(()), state)
    if not found.operands:
        target = Field(state.home) if state.home else Field("", known=False, source="~")
    else:
        target = found.operands[0]
    if target.text == "-" and target.known:
        return ExitStates(state.in_folders(()), state)
    if not target.known or target.pattern is not None:
        walk.record.doubt(f"the target directory of `cd {target.source}` is not known")
        return ExitStates(state.in_folders(()), state)
    walk.touch(target, "enter", state)
    if not target.text.startswith("/") and not state.folders:
        return ExitStates(state, state)
    folders = tuple(dict.fromkeys(paths.normal(paths.join(each, target.text)) for each in state.folders or ("/",)))
    return ExitStates(state.in_folders(folders), state)


def _push_directory(walk: Walker, args: Sequence[Field], state: State) -> ExitStates:
    if len(args) != 1 or re.match(r"[-+]", args[0].text):
        return ExitStates(state.in_folders(()), state)
    return _change_directory(walk, args, state)


def _pop_directory(_walk: Walker, _args: Sequence[Field], state: State) -> ExitStates:
    return ExitStates(state.in_folders(()), state)


def _declare(walk: Walker, args: Sequence[Field], state: State) -> ExitStates:
    """Handle `export`, `declare`, `local`, `readonly` and `typeset`."""
    for arg in args:
        name, equals, value = arg.text.partition("=")
        if arg.text.startswith("-"):
            if not arg.known or not _DECLARE_FLAGS.fullmatch(arg.text):
                walk.record.doubt(f"`{arg.source or arg.text}` changes the type or attributes of a variable")
            continue
        if not _NAME.fullmatch(name.removesuffix("+")):
            walk.record.doubt("a variable is set whose name is not known")
            continue
        name = name.removesuffix("+")
        if not is_harmless(name):  # even without a value: `export` passes a shell variable on to programs
            walk.record.doubt(f"the command sets {name}, which can change what runs")
        if equals:
            known = arg.known and arg.pattern is None and not arg.text.startswith(f"{name}+")
            state = state.assigned(name, (Value(value),) if known else ())
    return ExitStates(state, state)


def _readonly(walk: Walker, args: Sequence[Field], state: State) -> ExitStates:
    walk.record.doubt("a variable becomes read-only, so that later assignments fail")
    return _declare(walk, args, state)


def _unset(walk: Walker, args: Sequence[Field], state: State) -> ExitStates:
    for arg in args:
        state = set_unknown(walk, arg, state) if not arg.text.startswith("-") else state
        if arg.text.startswith("-") and arg.text != "-v":
            walk.record.doubt("`unset` removes a function or a reference")
    return ExitStates(state, state)


def _read(walk: Walker, args: Sequence[Field], state: State) -> ExitStates:
    found = parse_arguments("read", args, _READ)
    for doubt in found.doubts:
        walk.record.doubt(doubt)
    names = [*found.operands, *(value for name, value in found.options if name == "-a" and value)]
    for name in names or [Field("REPLY")]:
        state = set_unknown(walk, name, state)
    return ExitStates(state, state)


def _printf(walk: Walker, args: Sequence[Field], state: State) -> ExitStates:
    if args and not args[0].known and (args[0].split or not args[0].text):
        walk.record.doubt(f"`{args[0].source}` may become an option of `printf`")
    if len(args) > 1 and args[0].text == "-v":
        state = set_unknown(walk, args[1], state)
    elif args and args[0].text.startswith("-v"):
        walk.record.doubt("`printf -v` sets a variable whose name is not known")
    return ExitStates(state, state)


def _set(walk: Walker, args: Sequence[Field], state: State) -> ExitStates:
    index = 0
    while index < len(args):
        text = args[index].text
        if not args[index].known:
            walk.record.doubt("`set` changes how the shell interprets later commands")
        if text == "--":
            break
        if not _SET_FLAGS.fullmatch(text):
            walk.record.doubt("`set` changes how the shell interprets later commands")
        if text.endswith("o") and index + 1 < len(args):
            index += 1
            if args[index].text not in _SET_OPTIONS:
                walk.record.doubt(f"`set -o {args[index].text}` changes how the shell interprets later commands")
        index += 1
    return ExitStates(state, state)


def _trap(walk: Walker, args: Sequence[Field], state: State) -> ExitStates:
    args = args[1:] if args and args[0].text == "--" else args
    if not args or args[0].text in {"-", "", "-p", "-l"}:
        return ExitStates(state, state)
    if any(not each.known or each.text not in _TRAPS_AT_THE_END for each in args[1:]):
        walk.record.doubt("`trap` runs a command at an unknown time")
    if args[0].known and args[0].pattern is None:
        walk.nested(args[0].text, state.unknown())
    else:
        walk.record.doubt("`trap` runs a command that is not known")
    return ExitStates(state, state)


def _exit(_walk: Walker, args: Sequence[Field], state: State) -> ExitStates:
    return ExitStates(None, state) if len(args) > 1 or any(each.split for each in args) else ExitStates(None, None)


def _fail(_walk: Walker, _args: Sequence[Field], state: State) -> ExitStates:
    return ExitStates(None, state)


def _succeed(_walk: Walker, _args: Sequence[Field], state: State) -> ExitStates:
    return ExitStates(state, None)


def _keep_state(_walk: Walker, _args: Sequence[Field], state: State) -> ExitStates:
    return ExitStates(state, state)


def set_unknown(walk: Walker, name: Field, state: State) -> State:
    """Return the state in which the value of the variable `name` is unknown."""
    if not name.known or not _NAME.fullmatch(name.text):
        walk.record.doubt("a variable is set whose name is not known")
        return state
    if is_powerful(name.text):
        walk.record.doubt(f"the command sets {name.text}, which can change what runs")
    return state.assigned(name.text, ())


BUILTINS: Final[Mapping[str, Callable[[Walker, Sequence[Field], State], ExitStates]]] = {
    "cd": _change_directory, "chdir": _change_directory, "pushd": _push_directory, "popd": _pop_directory,
    "export": _declare, "declare": _declare, "local": _declare, "readonly": _readonly, "typeset": _declare,
    "unset": _unset, "read": _read, "printf": _printf, "set": _set, "trap": _trap, "exit": _exit,
    "return": _keep_state, "true": _succeed, ":": _succeed, "false": _fail, "umask": _keep_state,
    "ulimit": _keep_state,
}  # fmt: skip
