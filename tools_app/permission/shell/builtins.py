"""Builtins of bash that change the state for later commands: working directory, variables, shell options, loops."""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from tools_app.permission.names import names
from tools_app.permission.shell import declarations, directories
from tools_app.permission.shell.outcome import ExitStates
from tools_app.permission.shell.state import State
from tools_app.permission.shell.walking import Walker
from tools_app.permission.shell.words import UNKNOWN, Field

_SET_FLAGS: Final = re.compile(r"[-+][euxv]*o?")
_SET_OPTIONS: Final = names("pipefail errexit nounset xtrace verbose noclobber")
_UNIVERSAL: Final = re.compile(r"-[a-zA-Z]*U[a-zA-Z]*|--un[a-z]*")
_OF_FISH: Final = "/home/agent/.config/fish/fish_variables"
"""Where fish keeps the universal variables that `set -U` sets."""
_STATUS: Final = re.compile(r"[0-9]{1,3}")
_TRAPS_AT_THE_END: Final = names("EXIT 0 SIGEXIT exit")


def _set(walk: Walker, args: Sequence[Field], state: State) -> ExitStates:
    index = 0
    while index < len(args):
        text = args[index].text
        if text == "--":
            break
        if not _SET_FLAGS.fullmatch(text):
            walk.record.doubt("`set` changes how the shell interprets later commands")
        if _UNIVERSAL.fullmatch(text):
            walk.touch(Field(_OF_FISH), "write", state)
        if text.endswith("o") and index + 1 < len(args):
            index += 1
            if args[index].text not in _SET_OPTIONS:
                walk.record.doubt(f"`set -o {args[index].source}` changes how the shell interprets later commands")
        index += 1
    return ExitStates(state, state)


def _trap(walk: Walker, args: Sequence[Field], state: State) -> ExitStates:
    if not args or args[0].text in {"-p", "-l"}:
        return ExitStates(state, state)
    dashes = args[0].text == "--"
    args = args[1:] if dashes else args
    if not args or args[0].text in {"-", ""}:
        return ExitStates(state, state)
    if any(each.text not in _TRAPS_AT_THE_END for each in args[1:]):
        walk.record.doubt("`trap` runs a command at an unknown time")
    if args[0].known and args[0].pattern is None and (dashes or not args[0].text.startswith("-")):
        walk.nested(args[0].text, state.unknown())
    else:
        walk.record.doubt("`trap` runs a command that is not known")
    return ExitStates(state, state)


def _leave_loop(walk: Walker, _args: Sequence[Field], state: State) -> ExitStates:
    walk.leave_loop(state)
    return ExitStates(state, state)  # it may fail, and fails outside of a loop


def _exit(_walk: Walker, args: Sequence[Field], state: State) -> ExitStates:
    """Return the states after `exit`. It certainly ends the shell without arguments or with a number, but `exit --help`
    does not."""
    ends = not args or (len(args) == 1 and _is_status(args[0]))
    return ExitStates(None, None) if ends else ExitStates(state, state)


def _is_status(word: Field) -> bool:
    return (word.number and word.text == UNKNOWN) or (word.known and _STATUS.fullmatch(word.text) is not None)


def _fail(_walk: Walker, _args: Sequence[Field], state: State) -> ExitStates:
    return ExitStates(None, state)


def _succeed(_walk: Walker, _args: Sequence[Field], state: State) -> ExitStates:
    return ExitStates(state, None)


def _keep_state(_walk: Walker, _args: Sequence[Field], state: State) -> ExitStates:
    return ExitStates(state, state)


BUILTINS: Final[Mapping[str, Callable[[Walker, Sequence[Field], State], ExitStates]]] = {
    "cd": directories.change_directory, "chdir": directories.change_directory, "pushd": directories.push_directory,
    "popd": directories.pop_directory, "export": declarations.export, "declare": declarations.declare,
    "typeset": declarations.declare, "local": declarations.local, "readonly": declarations.readonly,
    "unset": declarations.unset, "read": declarations.read, "printf": declarations.printf, "set": _set, "trap": _trap,
    "exit": _exit, "return": _keep_state, "break": _leave_loop, "continue": _leave_loop, "true": _succeed,
    ":": _succeed, "false": _fail, "umask": _keep_state, "ulimit": _keep_state,
}  # fmt: skip
