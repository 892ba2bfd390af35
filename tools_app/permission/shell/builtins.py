"""The shell's own commands that change what holds for the text after them: folders, variables, options."""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Final, Protocol

from tools_app.permission.shell import paths
from tools_app.permission.shell.assignments import is_harmless, is_powerful
from tools_app.permission.shell.names import names
from tools_app.permission.shell.options import Kind, form, sort_out
from tools_app.permission.shell.outcome import Outcome
from tools_app.permission.shell.record import Record
from tools_app.permission.shell.state import State
from tools_app.permission.shell.words import Field, Value

_NAME: Final = re.compile(r"[A-Za-z_]\w*")
_SET_FLAGS: Final = re.compile(r"[-+][euxvfnhbmE]*o?")
_SET_OPTIONS: Final = names("pipefail errexit nounset xtrace verbose noglob noclobber errtrace functrace noexec")
_CD: Final = form("LPe@", "", "e", stops=False)
_READ: Final = form("rse", "-p: -t: -n: -N: -d: -a: -u: -i:")
_DECLARE_FLAGS: Final = re.compile(r"-[xgp]+")
_TRAPS_AT_THE_END: Final = names("EXIT 0 SIGEXIT exit")


class Surroundings(Protocol):
    record: Record

    def touch(self, field: Field, kind: Kind, state: State, *, deep: bool = False) -> None: ...

    def nested(self, text: str, state: State) -> None: ...


def _change_folder(walk: Surroundings, args: Sequence[Field], state: State) -> Outcome:
    found = sort_out("cd", args, _CD)
    if found.doubts or len(found.operands) > 1 or any(each.split and not each.known for each in args):
        walk.record.doubt("nobody knows where `cd` goes")
        return Outcome(state.moved(()), state)
    if not found.operands:
        target = Field(state.home) if state.home else Field("", known=False, source="~")
    else:
        target = found.operands[0]
    if target.text == "-" and target.known:
        return Outcome(state.moved(()), state)
    if not target.known or target.pattern is not None:
        walk.record.doubt(f"nobody knows where `cd {target.source}` goes")
        return Outcome(state.moved(()), state)
    walk.touch(target, "enter", state)
    if not target.text.startswith("/") and not state.folders:
        return Outcome(state, state)
    folders = tuple(dict.fromkeys(paths.normal(paths.join(each, target.text)) for each in state.folders or ("/",)))
    return Outcome(state.moved(folders), state)


def _push_folder(walk: Surroundings, args: Sequence[Field], state: State) -> Outcome:
    if len(args) != 1 or re.match(r"[-+]", args[0].text):
        return Outcome(state.moved(()), state)
    return _change_folder(walk, args, state)


def _pop_folder(_walk: Surroundings, _args: Sequence[Field], state: State) -> Outcome:
    return Outcome(state.moved(()), state)


def _declare(walk: Surroundings, args: Sequence[Field], state: State) -> Outcome:
    """`export`, `declare`, `local`, `readonly`, `typeset`."""
    for arg in args:
        name, equals, value = arg.text.partition("=")
        if arg.text.startswith("-"):
            if not arg.known or not _DECLARE_FLAGS.fullmatch(arg.text):
                walk.record.doubt(f"`{arg.source or arg.text}` changes what a variable means")
            continue
        if not _NAME.fullmatch(name.removesuffix("+")):
            walk.record.doubt("a variable is set whose name is not plain")
            continue
        name = name.removesuffix("+")
        if not is_harmless(name):  # even without a value: what was a variable of the shell only is exported
            walk.record.doubt(f"it sets {name}, which can change what runs")
        if equals:
            known = arg.known and arg.pattern is None and not arg.text.startswith(f"{name}+")
            state = state.assigned(name, (Value(value),) if known else ())
    return Outcome(state, state)


def _readonly(walk: Surroundings, args: Sequence[Field], state: State) -> Outcome:
    walk.record.doubt("a variable cannot be set from there on, and keeps its value")
    return _declare(walk, args, state)


def _unset(walk: Surroundings, args: Sequence[Field], state: State) -> Outcome:
    for arg in args:
        state = set_unknown(walk, arg, state) if not arg.text.startswith("-") else state
        if arg.text.startswith("-") and arg.text != "-v":
            walk.record.doubt("`unset` removes a function or a reference")
    return Outcome(state, state)


def _read(walk: Surroundings, args: Sequence[Field], state: State) -> Outcome:
    found = sort_out("read", args, _READ)
    for doubt in found.doubts:
        walk.record.doubt(doubt)
    names = [*found.operands, *(value for name, value in found.options if name == "-a" and value)]
    for name in names or [Field("REPLY")]:
        state = set_unknown(walk, name, state)
    return Outcome(state, state)


def _printf(walk: Surroundings, args: Sequence[Field], state: State) -> Outcome:
    if args and not args[0].known and (args[0].split or not args[0].text):
        walk.record.doubt(f"`{args[0].source}` may become an option of `printf`")
    if len(args) > 1 and args[0].text == "-v":
        state = set_unknown(walk, args[1], state)
    elif args and args[0].text.startswith("-v"):
        walk.record.doubt("`printf -v` sets a variable whose name is not plain")
    return Outcome(state, state)


def _set(walk: Surroundings, args: Sequence[Field], state: State) -> Outcome:
    index = 0
    while index < len(args):
        text = args[index].text
        if not args[index].known:
            walk.record.doubt("`set` changes how the shell reads what follows")
        if text == "--":
            break
        if not _SET_FLAGS.fullmatch(text):
            walk.record.doubt("`set` changes how the shell reads what follows")
        if text.endswith("o") and index + 1 < len(args):
            index += 1
            if args[index].text not in _SET_OPTIONS:
                walk.record.doubt(f"`set -o {args[index].text}` changes how the shell reads what follows")
        index += 1
    return Outcome(state, state)


def _trap(walk: Surroundings, args: Sequence[Field], state: State) -> Outcome:
    args = args[1:] if args and args[0].text == "--" else args
    if not args or args[0].text in {"-", "", "-p", "-l"}:
        return Outcome(state, state)
    if any(not each.known or each.text not in _TRAPS_AT_THE_END for each in args[1:]):
        walk.record.doubt("`trap` runs a text at times that are not known")
    if args[0].known and args[0].pattern is None:
        walk.nested(args[0].text, state.lost())
    else:
        walk.record.doubt("`trap` runs a text that is not known")
    return Outcome(state, state)


def _exit(_walk: Surroundings, args: Sequence[Field], state: State) -> Outcome:
    return Outcome(None, state) if len(args) > 1 or any(each.split for each in args) else Outcome(None, None)


def _fail(_walk: Surroundings, _args: Sequence[Field], state: State) -> Outcome:
    return Outcome(None, state)


def _succeed(_walk: Surroundings, _args: Sequence[Field], state: State) -> Outcome:
    return Outcome(state, None)


def _nothing(_walk: Surroundings, _args: Sequence[Field], state: State) -> Outcome:
    return Outcome(state, state)


def set_unknown(walk: Surroundings, name: Field, state: State) -> State:
    """A variable gets a value that nobody knows."""
    if not name.known or not _NAME.fullmatch(name.text):
        walk.record.doubt("a variable is set whose name is not plain")
        return state
    if is_powerful(name.text):
        walk.record.doubt(f"it sets {name.text}, which can change what runs")
    return state.assigned(name.text, ())


BUILTINS: Final[Mapping[str, Callable[[Surroundings, Sequence[Field], State], Outcome]]] = {
    "cd": _change_folder, "chdir": _change_folder, "pushd": _push_folder, "popd": _pop_folder, "export": _declare,
    "declare": _declare, "local": _declare, "readonly": _readonly, "typeset": _declare, "unset": _unset, "read": _read,
    "printf": _printf, "set": _set, "trap": _trap, "exit": _exit, "return": _nothing, "true": _succeed, ":": _succeed,
    "false": _fail, "umask": _nothing, "ulimit": _nothing,
}  # fmt: skip
