"""Syntax tree of a shell text, with the details that matter for the analysis.

Offsets (`start`, `end`) are character positions in the text.
"""

from dataclasses import dataclass
from typing import Literal, TypeAlias


@dataclass(frozen=True, slots=True)
class Text:
    """Literal text. If `quoted`, it is not split and its globs and braces are not expanded."""

    text: str
    quoted: bool


@dataclass(frozen=True, slots=True)
class Parameter:
    """The expansion of a parameter: `$name` or `${name}`.

    With an operator (`${name:-word}`), `plain` is False and the value is not known. `several`: it expands to one word
    for each value even in quotes (`$@`, `${name[@]}`). `open`: neither quotes nor braces end the name.
    """

    name: str
    quoted: bool
    plain: bool = True
    doubt: str = ""
    inner: "tuple[Part, ...]" = ()
    several: bool = False
    open: bool = False


@dataclass(frozen=True, slots=True)
class Substitution:
    """A command or process substitution: `$(...)`, backticks, `<(...)` or `>(...)`."""

    script: "Script"
    quoted: bool
    process: Literal["", "<", ">"] = ""


@dataclass(frozen=True, slots=True)
class Arithmetic:
    """An arithmetic expansion: `$((...))`. `names` are the variables in it; bash evaluates their values as expressions
    too."""

    names: tuple[str, ...]
    quoted: bool
    doubt: str = ""
    inner: "tuple[Part, ...]" = ()


Part: TypeAlias = Text | Parameter | Substitution | Arithmetic


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a shell command. `declares`: it has the form `name=value` after a declaration command, so its value is
    not split."""

    parts: tuple[Part, ...]
    source: str
    start: int
    end: int
    declares: bool = False


@dataclass(frozen=True, slots=True)
class Assignment:
    """An assignment: `name=value`. `elements` are the words of `name=(...)`. `plain` is False for `+=`, subscripts and
    arrays."""

    name: str
    value: Word
    plain: bool
    source: str
    elements: tuple[Word, ...] = ()


@dataclass(slots=True)
class Redirection:
    """A redirection. For a here-document, `target` is the delimiter and `body` contains the parts of the text."""

    operator: str
    descriptor: str
    target: Word
    body: tuple[Part, ...] = ()
    body_text: str = ""


@dataclass(frozen=True, slots=True)
class SimpleCommand:
    assignments: tuple[Assignment, ...]
    words: tuple[Word, ...]
    redirections: tuple[Redirection, ...]
    source: str
    start: int


@dataclass(frozen=True, slots=True)
class Test:
    """One test of a condition: `-f file`, `a == b`, or a word alone (`operator` is empty)."""

    operator: str
    operands: tuple[Word, ...]


@dataclass(frozen=True, slots=True)
class Condition:
    """A condition: `[[ ... ]]`. `tests` are its tests in order."""

    tests: tuple[Test, ...]
    redirections: tuple[Redirection, ...] = ()


@dataclass(frozen=True, slots=True)
class Calculation:
    """An arithmetic command: `((...))`."""

    value: Arithmetic
    redirections: tuple[Redirection, ...] = ()


@dataclass(frozen=True, slots=True)
class Pipeline:
    commands: "tuple[Node, ...]"
    negated: bool = False


@dataclass(frozen=True, slots=True)
class Chain:
    """A chain of commands: `first && second || third`. `rest` has each operator with the command after it."""

    first: "Node"
    rest: "tuple[tuple[str, Node], ...]"


@dataclass(frozen=True, slots=True)
class Script:
    """A list of commands. True marks a command that runs in the background."""

    items: "tuple[tuple[Node, bool], ...]" = ()


@dataclass(frozen=True, slots=True)
class CommandGroup:
    """A group of commands: `{ ...; }`, or `( ... )` if `subshell`."""

    body: Script
    subshell: bool
    redirections: tuple[Redirection, ...] = ()


@dataclass(frozen=True, slots=True)
class If:
    """The command `if`. `branches` are conditions with their bodies; `otherwise` is the body of `else`."""

    branches: tuple[tuple[Script, Script], ...]
    otherwise: Script
    redirections: tuple[Redirection, ...] = ()


@dataclass(frozen=True, slots=True)
class Repeat:
    """The effects of a loop's body on its next iteration: variables, and perhaps the working directory."""

    assigned: frozenset[str]
    """The variables that it sets."""
    moves: bool
    """It may change the working directory."""
    again: bool = False
    """It sets the variable of the `for` loop itself."""


@dataclass(frozen=True, slots=True)
class While:
    condition: Script
    body: Script
    repeat: Repeat
    redirections: tuple[Redirection, ...] = ()


@dataclass(frozen=True, slots=True)
class For:
    """The loop `for`. `words` is None if the loop is over the positional parameters."""

    name: str
    words: tuple[Word, ...] | None
    body: Script
    repeat: Repeat
    redirections: tuple[Redirection, ...] = ()


@dataclass(frozen=True, slots=True)
class Case:
    subject: Word
    patterns: tuple[Word, ...]
    bodies: tuple[Script, ...]
    redirections: tuple[Redirection, ...] = ()


@dataclass(frozen=True, slots=True)
class Function:
    name: str
    body: "Node"


Node: TypeAlias = (
    SimpleCommand | Condition | Calculation | Pipeline | Chain | CommandGroup | If | While | For | Case | Function
)


Mark: TypeAlias = tuple[Literal["command", "word", "expansion", "redirection"], int]
"""The construct that starts at a position of a text. `word`: an argument of a command."""


@dataclass(frozen=True, slots=True)
class Reading:
    """A parsed text: its syntax tree, and the positions to compare with the result of tree-sitter.

    `text` is the text with its lines joined; positions refer to it.
    """

    script: Script
    text: str
    marks: set[Mark]
