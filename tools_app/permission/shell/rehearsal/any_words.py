"""possible_actions(): find possible commands where the simulation does not know the program or the action.

`git $x` pushes if `x` comes from something that is not simulated. Then any word of the text may be its value. If the
input of a shell is the output of another program, the shell may run any program named in the text, with any word of
the text. A program in a folder may be a copy of any program whose file is named in the text:
`objcopy /usr/bin/git g; ./g push`.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from fnmatch import fnmatchcase
from typing import Final

from tools_app.permission import leaving
from tools_app.permission.shell.escapes import unescaped
from tools_app.permission.shell.rehearsal.scene import MAX_TEXT_CHARS, Rehearsed

_MAX_WORDS: Final = 60  # of a text, that are tried
_MAX_PROGRAMS: Final = 4
_WORD: Final = re.compile(r"(?<![\w$.-])[A-Za-z][a-z]{2,20}(?:[:-][a-z]{2,20}){0,2}(?!\w)")
_FILE_OF_PROGRAM: Final = re.compile(r"/s?bin/([\w.+-]{1,40})|\b(?:which|command -v|type -[pP])\s+([\w.+-]{1,40})")
_ANY: Final = "**"
"""A text that may consist of any letters, because a program makes it in a way that is not simulated."""
_PARTLY_KNOWN: Final = re.compile(r"\w.*\w")
"""What a partly known action has, at least: two letters."""


def possible_actions(found: Iterable[Rehearsed], text: str, folder: str, *, any_program: bool) -> Iterator[Rehearsed]:
    """Yield the possible commands for each found command in which `*` stands for an unknown program or action.

    `any_program`: a shell in `folder` runs a text that is not known exactly.
    """
    text = text[:MAX_TEXT_CHARS]
    words = list(dict.fromkeys(_WORD.findall(f"{text}\n{unescaped(text)}")))[:_MAX_WORDS]
    originals = list(dict.fromkeys("".join(each) for each in _FILE_OF_PROGRAM.findall(text)))[:_MAX_PROGRAMS]
    for each in found:
        name, _, rest = each.text.partition(" ")
        action, _, others = rest.partition(" ")
        others, behind = _known(others), _known(rest)
        program = name.rpartition("/")[2]
        if "/" in name:
            yield from (Rehearsed(f"{original} {behind}".rstrip(), each.folder) for original in originals)
        if _ANY in program or (set(program) == {"*"} and _ANY in action):
            yield from (Rehearsed(f"{name} {rest}".rstrip(), each.folder) for name, rest in _fitting(program, rest))
        if set(program) == {"*"}:
            yield from _of_any_program(words, each.folder)
        elif set(action) == {"*"} and _ANY not in action:
            yield from (Rehearsed(f"{program} {word} {others}".rstrip(), each.folder) for word in words)
        elif _ANY in action or ("*" in action and _PARTLY_KNOWN.search(action)):
            fitting = (its for its in _ACTIONS.get(program, ()) if fnmatchcase(its, action))
            yield from (Rehearsed(f"{program} {its} {others}".rstrip(), each.folder) for its in fitting)
    if any_program:
        yield from _of_any_program(words, folder)


def _fitting(program: str, rest: str) -> Iterator[tuple[str, str]]:
    """Yield each program that fits a text with unknown parts, with an action that fits what follows, and the rest."""
    action, _, others = rest.partition(" ")
    for name, actions in _ACTIONS.items():
        fits = [its for its in actions if fnmatchcase(its, action or "*")] if fnmatchcase(name, program) else []
        yield from ((name, f"{its} {_known(others)}") for its in fits)


def _known(words: str) -> str:
    return " ".join(each for each in words.split(" ") if "*" not in each)


def _of_any_program(words: Iterable[str], folder: str) -> Iterator[Rehearsed]:
    given = frozenset(words)
    for program in [each for each in words if each in _ACTIONS][:_MAX_PROGRAMS]:
        yield from (Rehearsed(f"{program} {each}", folder) for each in _ACTIONS[program] if each in given)


def _actions() -> Mapping[str, tuple[str, ...]]:
    """Return the actions that have effects outside the container, by program, as the presets list them."""
    actions: dict[str, tuple[str, ...]] = {}
    for each in leaving.COMMANDS:
        name, _, rest = each.partition(" ")
        action = rest.partition(" ")[0].strip("*")
        if action:
            actions[name] = (*actions.get(name, ()), action)
    return actions


_ACTIONS: Final = _actions()
