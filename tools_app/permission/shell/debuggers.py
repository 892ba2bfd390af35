"""commands_in_debugger(): what a debugger starts. Its texts have the arguments, and another word names the program:
`gdb -ex 'run push' git`."""

import re
from collections.abc import Sequence
from itertools import islice, product
from typing import Final

from tools_app.permission.names import names
from tools_app.permission.shell.words import Field

DEBUGGERS: Final = names("gdb lldb cgdb ddd gdb-multiarch rust-gdb rust-lldb pwndbg gef")
_MAX_STARTS: Final = 24
_MAX_WORDS: Final = 60
_OPTION: Final = re.compile(r"-{1,2}[\w-]+=")
_STARTS: Final = re.compile(
    r"\s*(?:ru?n?|sta(?:rti?|r)?|set\s+ar\w*|pr\w*\s+la\w*|se\w*\s+s\w*\s+target\.run-args)\s+(?:--\s+)?(.+)", re.DOTALL
)
_NAMES_PROGRAM: Final = re.compile(r"\s*(?:file|exec-?\w*|ta\w*\s+cr\w*|symbol-file)\s+['\"]?([^\s'\"]+)")


def commands_in_debugger(args: Sequence[Field]) -> list[Field]:
    """Return the commands that the arguments of a debugger may start, each as a text that a shell reads."""
    words = [_OPTION.sub("", each.text, count=1) for each in args[:_MAX_WORDS] if each.known]
    lines = [line for each in words for line in each.splitlines()][:_MAX_WORDS]
    arguments = [found[1] for each in lines if (found := _STARTS.fullmatch(each))]
    programs = [found[1] for each in lines if (found := _NAMES_PROGRAM.match(each))]
    programs += [each for each in words if each[:1] != "-" and not re.search(r"\s", each)]
    pairs = product(dict.fromkeys(programs), dict.fromkeys(arguments))
    return [Field(f"{program} {given}") for program, given in islice(pairs, _MAX_STARTS)]
