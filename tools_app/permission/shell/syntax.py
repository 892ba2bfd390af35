"""What a shell text is made of, as far as it matters for what it may touch. Plain values, no behaviour.

Offsets are character positions in the text that was read.
"""

from dataclasses import dataclass, field
from typing import Literal, TypeAlias


@dataclass(frozen=True, slots=True)
class Text:
    """Text that stands for itself. `quoted` text is not split, globbed or brace-expanded."""

    text: str
    quoted: bool


@dataclass(frozen=True, slots=True)
class Parameter:
    """`$name` or `${name}`; with an operator (`${name:-word}`) `plain` is False and the value is not known. `several`:
    it becomes one word for each of its values even in quotes (`$@`, `${name[@]}`)."""

    name: str
    quoted: bool
    plain: bool = True
    doubt: str = ""
    inner: "tuple[Part, ...]" = ()
    several: bool = False


@dataclass(frozen=True, slots=True)
class Substitution:
    """`$(...)`, backticks, `<(...)` or `>(...)`."""

    script: "Script"
    quoted: bool
    process: Literal["", "<", ">"] = ""


@dataclass(frozen=True, slots=True)
class Arithmetic:
    """`$((...))`; `names` are the variables it evaluates, whose values bash would evaluate in turn."""

    names: tuple[str, ...]
    quoted: bool
    doubt: str = ""
    inner: "tuple[Part, ...]" = ()


Part: TypeAlias = Text | Parameter | Substitution | Arithmetic


@dataclass(frozen=True, slots=True)
class Word:
    parts: tuple[Part, ...]
    source: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Assignment:
    """`name=value`; `elements` are the words of `name=(...)`. `plain` is False for `+=`, subscripts and arrays."""

    name: str
    value: Word
    plain: bool
    source: str
    elements: tuple[Word, ...] = ()


@dataclass(slots=True)
class Redirection:
    """`body` holds the parts of a here-document, which is read after its line; `target` is then the delimiter."""

    operator: str
    descriptor: str
    target: Word
    body: tuple[Part, ...] = ()
    body_text: str = ""


@dataclass(frozen=True, slots=True)
class Simple:
    assignments: tuple[Assignment, ...]
    words: tuple[Word, ...]
    redirections: tuple[Redirection, ...]
    source: str
    start: int


@dataclass(frozen=True, slots=True)
class Condition:
    """`[[ ... ]]`, as its words and operators in order."""

    words: tuple[Word, ...]
    redirections: tuple[Redirection, ...] = ()


@dataclass(frozen=True, slots=True)
class Calculation:
    """`((...))`, or the head of `for ((...))`."""

    value: Arithmetic
    redirections: tuple[Redirection, ...] = ()


@dataclass(frozen=True, slots=True)
class Pipeline:
    commands: "tuple[Node, ...]"
    negated: bool = False


@dataclass(frozen=True, slots=True)
class Chain:
    """`first && second || third`: each operator with what follows it."""

    first: "Node"
    rest: "tuple[tuple[str, Node], ...]"


@dataclass(frozen=True, slots=True)
class Script:
    """Commands one after the other; True marks one that runs in the background."""

    items: "tuple[tuple[Node, bool], ...]" = ()


@dataclass(frozen=True, slots=True)
class Group:
    """`{ ...; }`, or `( ... )` when `subshell`."""

    body: Script
    subshell: bool
    redirections: tuple[Redirection, ...] = ()


@dataclass(frozen=True, slots=True)
class If:
    """Conditions with their bodies in order, then what happens when none held."""

    branches: tuple[tuple[Script, Script], ...]
    otherwise: Script
    redirections: tuple[Redirection, ...] = ()


@dataclass(frozen=True, slots=True)
class Repeat:
    """What the loops share: the variables that change in it, whether it may leave in another folder, and whether its
    body sets the loop's own variable `again`."""

    assigned: frozenset[str]
    moves: bool
    again: bool = False


@dataclass(frozen=True, slots=True)
class While:
    condition: Script
    body: Script
    repeat: Repeat
    redirections: tuple[Redirection, ...] = ()


@dataclass(frozen=True, slots=True)
class For:
    """`words` None means the positional parameters."""

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


Node: TypeAlias = Simple | Condition | Calculation | Pipeline | Chain | Group | If | While | For | Case | Function


@dataclass(slots=True)
class Reading:
    """A text as it was read. `starts` are the positions of all command names, for comparing with another reader."""

    script: Script
    starts: set[int] = field(default_factory=set)
