"""MakeCommand: the arguments of `make` or `just`, and the commands of its implicit rules."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from tools_app.permission.names import names

_OPTIONS: Final[Mapping[str, str]] = {
    "-C": "folder", "--directory": "folder", "-f": "file", "--file": "file", "--makefile": "file",
    "--justfile": "file", "-E": "text", "--eval": "text",
}  # fmt: skip
_PROGRAMS: Final = names(
    "CC CXX CPP AS AR LD FC LEX YACC PC CO GET M2C RANLIB TEX MAKEINFO RM COMPILE.c COMPILE.cc COMPILE.S COMPILE.cpp"
    " LINK.c LINK.o LINK.cc LINK.cpp PREPROCESS.S LINT LINT.c WEAVE TANGLE CWEAVE CTANGLE TEXI2DVI"
)
"""Variables that the implicit rules of make run, or the first word of what they run."""
_FLAGS: Final = re.compile(r"[A-Z]*FLAGS|TARGET_ARCH|LDLIBS|LOADLIBES|OUTPUT_OPTION")


class MakeCommand:
    """The files, variable values and goals in the arguments of a `make` command and in its flags from MAKEFLAGS."""

    def __init__(self, words: Sequence[str], flags: str) -> None:
        self.files: list[str] = []
        self.folder = ""
        self.text = ""
        self.values: dict[str, str] = {}
        self.goals: list[str] = []
        given = flags.split()
        self.environment_wins = bool(given[:1] and re.fullmatch(r"[a-z]*e[a-z]*", given[0]))
        rest = [*given, *words[1:]]
        while rest:
            self._take(rest.pop(0), rest)

    def _take(self, word: str, rest: list[str]) -> None:
        name, equals, value = word.partition("=")
        if word[:2] == "-f" and len(word) > 2:
            name, equals, value = "-f", "=", word[2:]
        if kind := _OPTIONS.get(name):
            value = value if equals else rest.pop(0) if rest else ""
            self.files += [value] if kind == "file" else []
            self.folder = value if kind == "folder" else self.folder
            self.text = f"{self.text}\n{value}" if kind == "text" else self.text
        elif re.fullmatch(r"-[a-z]*e[a-z]*|--environment-overrides", word):
            self.environment_wins = True
        elif equals and word[:1] != "-":
            self.values[name.rstrip(":?+")] = value
        elif word[:1] != "-":
            self.goals.append(word)

    def implicit(self, environment: Mapping[str, str]) -> Iterator[str]:
        """Yield the commands of those implicit rules whose variables are set by the command or the environment."""
        values = {**environment, **self.values}
        flags = [value for name, value in values.items() if _FLAGS.fullmatch(name)]
        for program in (value for name, value in values.items() if name in _PROGRAMS):
            yield " ".join((program, *flags, "-c"))
            yield from (f"{program} {each}" for each in flags)
