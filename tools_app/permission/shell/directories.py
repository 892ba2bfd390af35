"""Builtins that change the working directory: `cd`, `pushd`, `popd`.

The shell resolves `..` from the path of the directory that it remembers. After `cd -P`, and in other shells, that is
the real path, which may be elsewhere because of links. So `cd ..` has two possible results: the parent by name, and
`folder/..`, which the sandbox resolves.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import product
from typing import Final

from tools_app.permission.shell import paths
from tools_app.permission.shell.options import may_split, parse_arguments
from tools_app.permission.shell.outcome import ExitStates
from tools_app.permission.shell.specs import spec
from tools_app.permission.shell.state import State
from tools_app.permission.shell.walking import Walker
from tools_app.permission.shell.words import UNKNOWN, Field

_CD: Final = spec("LPe@", "", "e")


def change_directory(walk: Walker, args: Sequence[Field], state: State) -> ExitStates:
    found = parse_arguments("cd", args, _CD)
    if found.doubts or len(found.operands) > 1 or any(map(may_split, args)):
        walk.record.doubt("the target directory of `cd` is not known")
        for folder, each in product(tuple(walk.record.visited), found.operands):
            walk.record.visit(paths.join(folder, (each.pattern or each.text).rpartition(UNKNOWN)[2].rstrip("/")))
        return ExitStates(state.in_folders(()), state)
    if not found.operands:
        target = Field(state.home) if state.home else Field("", known=False, source="~")
    else:
        target = found.operands[0]
    if target.text == "-":
        return ExitStates(state.in_folders(()), state)
    if not target.known:
        walk.record.doubt(f"the target directory of `cd {target.source}` is not known")
        for folder in tuple(walk.record.visited):
            walk.record.visit(paths.join(folder, target.text.rpartition(UNKNOWN)[2].strip("/")))
        return ExitStates(state.in_folders(()), state)
    walk.touch(target, "enter", state)
    if not target.text.startswith("/") and not state.folders:
        return ExitStates(state, state)
    moved = state.in_folders(tuple(dict.fromkeys(_places(target.text, state.folders or ("/",)))))
    return ExitStates(moved.assigned("PWD", ()) if found.options else moved, state)


def _places(target: str, folders: Sequence[str]) -> Iterator[str]:
    for folder in folders:
        path = paths.join(folder, target)
        yield paths.normal(path)
        if ".." in target.split("/"):
            yield path


def push_directory(walk: Walker, args: Sequence[Field], state: State) -> ExitStates:
    if args and args[0].known and args[0].text == "--":
        args = args[1:]
    if any(map(may_split, args)):
        walk.record.doubt("the target directory of `pushd` is not known")
    if len(args) != 1 or re.match(r"[-+]", args[0].text):
        for each in args:
            walk.touch(each, "enter", state) if not re.match(r"[-+]", each.text) else None
        return ExitStates(state.in_folders(()), state)
    return change_directory(walk, args, state)


def pop_directory(_walk: Walker, _args: Sequence[Field], state: State) -> ExitStates:
    return ExitStates(state.in_folders(()), state)
