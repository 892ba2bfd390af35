"""Scene: the variables, parameters, functions and files of a text during its simulation."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from tools_app.permission.names import names
from tools_app.permission.shell.rehearsal.arithmetic import calculated
from tools_app.permission.shell.syntax_tree import Piece

MAX_CHARS: Final = 4_000  # of a value, of what a command prints, and of a command that is returned
MAX_TEXT_CHARS: Final = 30_000  # of a text that is played through
MAX_PARSED_CHARS: Final = 40_000  # of all texts together; parsing some takes long
MAX_STEPS: Final = 4_000  # pieces of the text that are looked at, over and over in loops
MAX_ROUNDS: Final = 8  # of a loop, and commands that `xargs` makes of its input
MAX_DEPTH: Final = 12  # of texts in texts, functions and substitutions
MAX_COMMANDS: Final = 300
MAX_PLAYED_ROUNDS: Final = 64  # of a loop whose condition is calculated
OPERATION: Final = "/\x02"
"""Stands in front of operations of `${x...}` that the grammar does not know, so that it reads them as a replacement."""
MAX_NAMES: Final = 100  # of variables, files, functions and elements of an array


_OF_SHELL: Final = names(
    "? $ ! - _ RANDOM SRANDOM SECONDS BASHPID PPID UID EUID LINENO SHLVL EPOCHSECONDS EPOCHREALTIME HOSTNAME HOSTTYPE"
    " MACHTYPE OSTYPE BASH BASHOPTS SHELLOPTS BASH_ARGV0 BASH_COMMAND BASH_VERSION BASH_VERSINFO COLUMNS LINES"
    " DIRSTACK GROUPS HISTCMD PIPESTATUS"
)
"""Variables that the shell sets to values which only it knows."""
_AT_FIRST: Final = {"OPTIND": "1", "OPTERR": "1", "BASH_SUBSHELL": "0", "PS4": "+ "}
"""Variables that the shell sets, and their values until the text changes them."""


@dataclass(frozen=True, slots=True)
class Rehearsed:
    """A command with its words expanded, and the folder in which it would run."""

    text: str
    folder: str


class Exhausted(Exception):
    """A shell text needs more steps than the simulation may take."""


@dataclass(slots=True)
class Stage:
    """The shared state of a simulation: the results, the simulated files and programs, and the steps that are left."""

    found: dict[Rehearsed, None] = field(default_factory=dict)
    steps: int = MAX_STEPS
    depth: int = 0
    files: dict[str, str] = field(default_factory=dict)
    """Contents of files that the text writes, by their names without `./`."""
    documents: dict[str, str] = field(default_factory=dict)
    """Contents that come from here-documents, of which the grammar may read only a part."""
    made: dict[str, None] = field(default_factory=dict)
    """Names of files that the text makes, which globs may match."""
    programs: dict[str, str] = field(default_factory=dict)
    """Other names of programs, from `cp`, `ln`, `alias` and `hash -p` -> the programs."""
    built: set[tuple[str, str, tuple[str, ...]]] = field(default_factory=set)
    """Files, their contents and the commands that have read them."""
    held: str = ""
    """The text that can be read from a descriptor which `exec` or `coproc` opened."""
    descriptors: dict[str, str] = field(default_factory=dict)
    """Numbers of descriptors that are open for writing -> names of files."""
    outputs: dict[str, Sequence[Piece]] = field(default_factory=dict)
    """Names of functions -> the redirections that belong to their definitions."""
    coprocess: list[str] = field(default_factory=list)
    """The words of the last command that `coproc` started."""
    sent: str = ""
    """What was written to the coprocess."""
    readers: dict[str, Piece] = field(default_factory=dict)
    """Paths of `>(...)` -> the commands that read them."""
    unknown: str = ""
    """The replacement for a text that is not known: "", or `*` for any text."""

    @property
    def any_text(self) -> str:
        """Return the replacement for what a program makes of known texts in a way that is not simulated: "", or `**`.

        Unlike `*`, it may stand for words that the text does not contain.
        """
        return self.unknown * 2

    def step(self) -> None:
        self.steps -= 1
        if self.steps < 0:
            raise Exhausted

    def add(self, text: str, folder: str) -> None:
        text = text.replace("\0", " ").replace(OPERATION, "")
        if text.strip() and len(self.found) < MAX_COMMANDS:
            self.found.setdefault(Rehearsed(text[:MAX_CHARS], folder))

    def write(self, name: str, text: str, *, append: bool) -> None:
        place = plain_name(name)
        before = self.files.get(place, "")
        is_read = bool(before) and self.documents.get(place) == before and before.startswith(text.rstrip())
        if not is_read and (place in self.files or len(self.files) < MAX_NAMES):
            self.files[place] = (before if append else "")[:MAX_CHARS] + text[:MAX_CHARS]
        self.make(name)

    def make(self, name: str) -> None:
        if len(self.made) < MAX_NAMES:
            self.made.setdefault(name)


@dataclass(slots=True)
class Scene:
    """The state of one shell in a rehearsal. A subshell gets a copy, but its assignments are kept too, because it is
    not known which assignments matter."""

    stage: Stage
    folder: str
    values: dict[str, str] = field(default_factory=dict)
    arrays: dict[str, dict[str, str]] = field(default_factory=dict)
    references: dict[str, str] = field(default_factory=dict)
    """The variable that each name reference (`declare -n`) refers to."""
    parameters: Sequence[str] = ()
    name: str = "bash"
    functions: dict[str, Piece] = field(default_factory=dict)
    keyed: set[str] = field(default_factory=set)
    """Names that `declare -A` made."""
    attributes: dict[str, str] = field(default_factory=dict)
    """The conversions that `declare` makes of the values of each variable: `l` and `u` change the case, `c` a first
    letter, `i` calculates."""
    decodes: bool = False
    """Whether `echo` decodes escapes without `-e`, as in `sh`."""

    def copy(self, **changes: object) -> "Scene":
        return replace(
            self,
            **{"values": dict(self.values), "arrays": {k: dict(v) for k, v in self.arrays.items()}, **changes},  # type: ignore[arg-type]
        )

    def set(self, name: str, value: str) -> None:
        place, _, index = self.references.get(name, name).partition("[")
        value = self._with_attributes(place, value)
        self.name = value[:MAX_CHARS] if place == "BASH_ARGV0" else self.name
        if index or place in self.arrays:
            self.set_element(place, index.rstrip("]") or "0", value)
        elif place in self.values or len(self.values) < MAX_NAMES:
            self.values[place] = value[:MAX_CHARS]

    def _with_attributes(self, name: str, value: str) -> str:
        letters = self.attributes.get(name, "")
        if "i" in letters:
            number = calculated(value, self)
            value = self.stage.unknown or str(number or 0)
        if "c" in letters:
            value = value[:1].upper() + value[1:].lower()
        return value.lower() if "l" in letters else value.upper() if "u" in letters else value

    def set_element(self, name: str, index: str, value: str) -> None:
        name = self.references.get(name, name)
        elements = self.arrays.setdefault(name, {}) if len(self.arrays) < MAX_NAMES else {}
        if index in elements or len(elements) < MAX_NAMES:
            elements[index] = self._with_attributes(name, value)[:MAX_CHARS]

    def set_array(self, name: str, elements: Sequence[tuple[str, str]]) -> None:
        self.arrays[name] = {}
        for index, value in elements:
            self.set_element(name, index, value)

    def get(self, name: str, index: str = "") -> list[str]:
        """Return the value of a variable or an element, or all elements for the index `@` or `*`. Empty if nothing is
        set."""
        name, _, inner = self.references.get(name, name).partition("[")
        index = index or inner.rstrip("]")
        if name in {"@", "*"}:
            return list(self.parameters)
        if name.isdigit():
            number = int(name)
            return list((self.name, *self.parameters)[number : number + 1])
        if name == "#":
            return [str(len(self.parameters))]
        if name in self.arrays:
            return self._elements(self.arrays[name], index)
        if name in _OF_SHELL and name not in self.values:
            return [self.stage.unknown]
        if name in _AT_FIRST and name not in self.values:
            return [_AT_FIRST[name]]
        if name == "PWD" and name not in self.values:
            return [self.folder]
        return [self.values[name]] if name in self.values and index in {"", "0", "@", "*"} else []

    def _elements(self, elements: dict[str, str], index: str) -> list[str]:
        if index in {"@", "*"}:
            return [elements[each] for each in sorted(elements, key=_place)]
        if re.fullmatch(r"-\d{1,4}", index):
            return list(elements.values())[int(index) :][:1]
        return [elements[index or "0"]] if (index or "0") in elements else []


def _place(index: str) -> tuple[int, str]:
    """Return the sort key of an array element: numeric indexes sort as numbers. All other keys are equal and stay in
    their order."""
    return (int(index), "") if re.fullmatch(r"\d{1,6}", index) else (0, "")


def plain_name(name: str) -> str:
    """Return the name under which the simulation stores a file: without a leading `./`."""
    while name.startswith("./"):
        name = name[2:]
    return name
