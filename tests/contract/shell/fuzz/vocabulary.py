"""Builtins and programs of the sandbox image, with the options that their help texts contain.

The help texts come from `compgen -b` and `help` for builtins, `--help` for programs, and `-h` for git subcommands;
`program_options.json` adds the options of the programs' own tables.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from tests.contract.shell.compare import PROGRAM_OF
from tests.contract.shell.container import Tracing
from tests.contract.shell.noise import CHILDREN
from tools_app.permission.harmless import READ_ONLY
from tools_app.permission.shell import tables_changes, tables_files
from tools_app.permission.shell.programs import PROGRAMS
from tools_app.permission.shell.specs_of_image import image_programs
from tools_app.permission.shell.tables_wrappers import WRAPPERS

RUNNERS: Final = ("env", "xargs", "command", "eval", "bash -c", "sh -c")
LEFT_OUT: Final = frozenset({"top", "yes", "watch", "sleep", "mount", "mkfs", "openssl"})
"""Programs that run until they are stopped, or that only root can use."""

_OPTION: Final = re.compile(r"(?<![\w/.<-])--?[A-Za-z0-9@#.][\w-]*(?==|\[=)?")
_SYNOPSIS: Final = re.compile(r"(?<!\w)([-+])([A-Za-z]+)")


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The options of builtins, programs and wrappers, by name."""

    builtins: Mapping[str, Sequence[str]]
    programs: Mapping[str, Sequence[str]]
    wrappers: Mapping[str, Sequence[str]]


def of_image(traced: Tracing) -> Vocabulary:
    """Read the vocabulary from the container image. The programs are those that presets call harmless, and those with
    an option table."""
    harmless = {" ".join(_words_of(pattern)) for pattern in READ_ONLY}
    wrappers = sorted({*WRAPPERS, *RUNNERS} - LEFT_OUT)
    names = sorted({*harmless, *tables_files.JUDGED, *tables_changes.JUDGED, *PROGRAMS} - LEFT_OUT - {*wrappers})
    said = json.loads(traced.output_of("python3", "-I", "/proof/ask.py", *names, *wrappers))
    options = {name: sorted({*options_of(text), *_of_tables(name)}) for name, text in said["programs"].items()}
    builtins = {name: options_of_builtin(text) for name, text in said["builtins"].items()}
    return Vocabulary(
        builtins,
        {
            name: options[name]
            for name in names
            if options[name] and name not in builtins and _is_understood(name, said["files"][name])
        },
        {
            name: options[name] or builtins.get(name, [])
            for name in wrappers
            if options[name] or name in builtins or " " in name
        },
    )


def _is_understood(name: str, file: str) -> bool:
    """Return whether the comparison of option tables knows the program behind the name, which may be a link or a
    script."""
    return file in (name.partition(" ")[0], PROGRAM_OF.get(name)) or name in CHILDREN


def _of_tables(name: str) -> set[str]:
    """Return the options in the program's own getopt table, because help texts omit some."""
    program = image_programs().get(name)
    return {each for option in program.options for each in option.names} if program else set()


def options_of(text: str) -> list[str]:
    return sorted(set(_OPTION.findall(text)))


def options_of_builtin(text: str) -> list[str]:
    """Return the options in the first line of a help text, such as `read: read [-ers] [-a array]`."""
    letters = _SYNOPSIS.findall(text.partition("\n")[0])
    return sorted({f"{sign}{letter}" for sign, group in letters for letter in group})


def _words_of(pattern: str) -> list[str]:
    """Return the name of the program in a pattern, and for git also the subcommand."""
    words = [word for word in pattern.split() if word.isalnum() or set(word) <= {*"[:"} or "-" in word[1:]]
    return words[:2] if words[:1] == ["git"] and len(words) > 1 and words[1] != "help" else words[:1]
