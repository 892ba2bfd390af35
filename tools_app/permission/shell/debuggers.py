"""commands_in_debugger(): what a debugger starts. Its commands have the arguments, and another word names the program:
`gdb -ex 'run push' git`, `gdb git <<< 'run push'`."""

import re
from collections.abc import Iterable, Sequence
from itertools import islice, product
from typing import Final

from tools_app.permission.names import names
from tools_app.permission.shell.words import Field

DEBUGGERS: Final = names("gdb lldb cgdb ddd gdb-multiarch rust-gdb rust-lldb pwndbg gef")
_OTHERS: Final = names("dlv gdbtui lldb-mi")
_VERSIONED: Final = re.compile(r"(.*?)-?[\d.]+")
_OF_TESTS: Final = names("--pdb --usepdb --ipdb --pudb --debugger")
_TRACES: Final = "--trace"
_WITH_PYTEST: Final = names("pytest py.test tox nox coverage")
"""Programs that are, or may start, a test runner whose option `--trace` starts a debugger for each test."""
_LEAST_OF_TRACE: Final = 5
_MAX_STARTS: Final = 24
_MAX_WORDS: Final = 60
_OPTION: Final = re.compile(r"-{1,2}[\w-]+=")
_STARTS: Final = re.compile(
    r"\s*(?:ru?n?|sta(?:rti?|r)?|rest\w*|set\s+ar\w*|pro?c?\w*\s+la\w*|_regexp-\w+|-exec-arguments"
    r"|se\w*\s+(?:s\w*|a\w*)\s+(?:--\s+)?target\.run-args)\s+(?:(?:.*\s)?--\s+)?(.+)",
    re.DOTALL,
)
_NAMES_PROGRAM: Final = re.compile(
    r"\s*(?:file|exec-?\w*|ta\w*\s+(?:cr\w*|exec)|symbol-file|add-inf\w*\s+(?:.*\s)?-exec|-file-exec-[\w-]+)"
    r"\s+['\"]?([^\s'\"]+)"
)
_PIECES: Final = re.compile(r"[\n'\"]+")
"""What separates the commands of a debugger, or surrounds one in code: `gdb.execute("run push")`."""


def is_debugger(name: str) -> bool:
    """Return whether a program of this name starts another one by commands on its input."""
    found = _VERSIONED.fullmatch(name)
    return (found[1] if found else name) in DEBUGGERS | _OTHERS


def starts_debugger(name: str, args: Sequence[Field]) -> bool:
    """Return whether an option starts a debugger, which runs the code in the input: `pytest --pdb`, `tox -- --trace`.
    pytest accepts the beginning of an option's name."""
    words = [each.text for each in args]
    traces = name in _WITH_PYTEST and any(_TRACES.startswith(each) for each in words if len(each) >= _LEAST_OF_TRACE)
    return traces or not _OF_TESTS.isdisjoint(words)


def commands_in_debugger(args: Sequence[Field], typed: Iterable[str] = ()) -> list[Field]:
    """Return the commands that a debugger may start, each as a text that a shell reads. `typed` are texts that it may
    read as its commands, besides its arguments."""
    words = [_OPTION.sub("", each.text, count=1) for each in args[:_MAX_WORDS] if each.known]
    lines = [line for each in (*words, *typed) for line in (*each.splitlines(), *_PIECES.split(each))]
    lines = list(dict.fromkeys(lines))[:_MAX_WORDS]
    arguments = [found[1] for each in lines if (found := _STARTS.fullmatch(each))]
    programs = [found[1] for each in lines if (found := _NAMES_PROGRAM.match(each))]
    programs += [each for each in words if each[:1] != "-" and not re.search(r"\s", each)]
    pairs = product(dict.fromkeys(programs), dict.fromkeys(arguments))
    return [Field(f"{program} {given}") for program, given in islice(pairs, _MAX_STARTS)]
