"""Equivalent spellings of a command, which rules are matched against too, and other commands that its arguments may
contain."""

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from tools_app.permission.shell import arity
from tools_app.permission.shell.packages import without_version
from tools_app.permission.shell.tables_wrappers import NPM_VERBS
from tools_app.permission.shell.words import Field

MAX_READINGS: Final = 16  # interpretations of options before a subcommand
_LONG_ACTION: Final = 3  # words of a command whose action has two: `docker compose push`
_MAX_BEFORE: Final = 3  # words in front of a command in a text, such as `.shell` of a console
_MAX_SEARCHED: Final = 200  # words
_LAUNCHER: Final = re.compile(r"(?:-D)?\w+_(?:LAUNCHER|EMULATOR)(?:_\w+)?(?::\w+)?=([^;].*)", re.DOTALL)
"""A setting of cmake whose value is a command."""
_JOINED: Final = (2, 3, 4)
"""Where a command may begin in a word with short options: `-c'git push'`, `-qc'git push'`."""
_IN_TEXT: Final = re.compile(r"[;|&(){}'\"!`]+")
"""Characters that may surround a command in a text."""
_SIGNS: Final = "^&@%=" + "".join(map(chr, (*range(0x20), 0x7F)))
"""Characters that other shells allow in front of the name of a program (`^rm` of nushell, `&rm` of PowerShell), and
control characters, which empty a line before a text is typed."""
_OF_SASH: Final = re.compile(r"-[a-z]{2,}")
"""A program that `sash` runs itself: `-rm`."""


def without_options(name: str, args: Sequence[Field]) -> list[list[Field]]:
    """Return the command without the options before its subcommand, in every possible interpretation.

    There may be several, because it is not known here whether such an option takes the next word as its value.
    """
    if arity.prefix((name,)) == arity.prefix((name, "x")) or not args or not args[0].text.startswith("-"):
        full = _unabbreviated(name, args) if args else args
        return [[Field(name), *full]] if full is not args else _without_options_inside(name, args)
    readings = [_unabbreviated(name, each) for each in _readings(args)]
    return [reading for each in readings for reading in ([Field(name), *each], *_without_options_inside(name, each))]


def _without_options_inside(name: str, args: Sequence[Field]) -> list[list[Field]]:
    """Return a command such as `docker compose -f x push` without the options between the two words of its action."""
    words = [name, *(each.text for each in args[:1])]
    if len(args) < 2 or not args[1].text.startswith("-") or len(arity.prefix((*words, "x"))) < _LONG_ACTION:
        return []
    return [[Field(name), args[0], *each] for each in _readings(args[1:])]


def _readings(args: Sequence[Field]) -> list[Sequence[Field]]:
    """Return the words after the options at the start of `args`, in every possible interpretation."""
    index = 0
    while index < len(args) and args[index].text.startswith("-"):
        index += 1
    readings = [args[index:], args[index + 1 :]] if "=" not in args[index - 1].text else [args[index:]]
    while index + 1 < len(args) and args[index + 1].text.startswith("-") and len(readings) < MAX_READINGS:
        index += 2
        readings.append(args[index:])
        readings.append(args[index + 1 :])
    return [each for each in readings if each]


def _unabbreviated(name: str, args: Sequence[Field]) -> Sequence[Field]:
    """Expand an abbreviated npm subcommand: npm accepts every unambiguous prefix."""
    begin = args[0].text
    verbs = [verb for verb in NPM_VERBS if len(begin) > 2 and verb.startswith(begin) and begin != "run"]
    return [Field(verbs[0]), *args[1:]] if name == "npm" and len(verbs) == 1 else args


def possible_commands(args: Sequence[Field]) -> list[list[Field]]:
    """Return the commands that an unknown command may run.

    Each suffix of its list of words may be such a command, and each argument may contain some. Rules that deny one of
    these commands are then applied.
    """
    plain = [index for index, each in enumerate(args) if each.text[:1] != "-"]
    behind = [index for index in plain[MAX_READINGS:] if args[index - 1].text == "--"]
    found = [list(args[index:]) for index in (*plain[:MAX_READINGS], *behind[:1])]
    found += [[Field(each[0].text.rpartition("/")[2]), *each[1:]] for each in found if "/" in each[0].text]
    found += [each for words in found if (each := without_version("", words)) != words]
    found += [[each[0], *each[2:]] for each in found if [word.text for word in each[1:2]] == ["--"]]
    given = [arg.text for arg in args[:MAX_READINGS]]
    texts = [each.rpartition("=")[2] for each in given if "=" in each] + [each for each in given if " " in each.strip()]
    texts += [each[end:] for each in texts if each[:1] == "-" and each[:2] != "--" for end in _JOINED]
    texts += [piece for text in texts for piece in _IN_TEXT.split(text) if " " in piece.strip()]
    found += [
        [Field(without_signs(each[0])), *map(Field, each[1:])]
        for text in dict.fromkeys(texts)
        for words in [text.split()]
        for index in range(min(len(words), _MAX_BEFORE))
        for each in _with_base(words[index:])
    ]
    return found + _for_each_argument(args) + _of_container(args)


def commands_in_lists(args: Sequence[Field]) -> list[list[Field]]:
    """Return the commands that stand in options as lists: `gcc -wrapper git,push`, `cmake -DCMAKE_C_COMPILER_LAUNCHER=
    git;push`."""
    given = [each.text for each in args[:_MAX_SEARCHED]]
    found = [after.split(",") for before, after in pairwise(given) if before.lstrip("-") == "wrapper"]
    found += [setting[1].split(";") for each in given if (setting := _LAUNCHER.fullmatch(each))]
    return [[*map(Field, each)] for each in found[:MAX_READINGS] if each[0]]


def _with_base(words: Sequence[str]) -> list[Sequence[str]]:
    """Return a command, and the same command with its program without the folder."""
    return [words, [words[0].rpartition("/")[2], *words[1:]]] if "/" in words[0] else [words]


def without_signs(name: str) -> str:
    """Return the name of a program without the signs that other shells allow in front of it."""
    plain = name.lstrip(_SIGNS).removeprefix("e:")  # `e:rm` of elvish
    return plain[1:] if _OF_SASH.match(plain) else plain or name


def _of_container(args: Sequence[Field]) -> list[list[Field]]:
    """Return the commands that may run in a container: for `docker run --entrypoint git image push`, `git push`."""
    words = [each.text for each in args]
    given = [after for before, after in pairwise(words) if before == "--entrypoint"]
    given += [each.partition("=")[2] for each in words if each.startswith("--entrypoint=")]
    return [
        [*map(Field, program.split()), *args[index:]]
        for program in given[:1]
        for index in range(1, min(len(args) + 1, MAX_READINGS))
    ]


def _for_each_argument(args: Sequence[Field]) -> list[list[Field]]:
    """Return the commands that `parallel command ::: a b` runs."""
    words = [each.text for each in args]
    start = next((index for index, each in enumerate(words) if each.startswith(":::")), len(words))
    command, values = words[:start], [each for each in words[start:] if not each.startswith(":::")]
    found = []
    for value in values[:MAX_READINGS] if command else ():
        given = [each.replace("{}", value) for each in command]
        found.append([Field(each) for each in (given if given != command else [*command, value])])
    return found
