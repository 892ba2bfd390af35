"""Argument tables: the meaning of the options and operands of a command for permissions.

The tables `tables_*` contain an ArgumentSpec for each command, written by people. `specs_of_image.py` adds the
options that the programs of the sandbox image report.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Literal

ArgumentKind = Literal[
    "text",
    "read",
    "list",
    "tree",
    "write",
    "place",
    "into",
    "names",
    "enter",
    "change",
    "output",
    "folder",
    "any",
    "input",
]
"""How a command uses an argument.

`text`: plain text. `read`: a file to read. `list`: a directory to list. `tree`: a directory to read recursively.
`write`: a file to write, or a directory of which everything is written if the command is recursive. `place`: a file or
directory to write without what is in it. `into`: a file to write if its parent directory exists. `names`: a path of
which only metadata is read. `enter`: a directory to change to. `change`: a file to read and write. `output`: a file to
write, or a directory below which files are written. `folder`: a directory to write files into, which need not exist.
`input`: a file to read, or a directory of which everything is read. `any`: a file or directory of which everything may
be read and written, because the use is not known.
"""

Takes = Literal["nothing", "value", "joined"]
"""Whether an option takes a value. `joined`: it may have one, which must be joined to it (`--color=auto`, `-w8`)."""

Letters = Literal["joined", "first", "apart"]
"""How a program reads several letters behind a dash. `joined`: as options, up to the first one with a value, which is
the rest of the word or the next word. `first`: only the first letter counts; the rest is its value, or the end of a
long name with one dash. `apart`: all are options, and their values are the next words."""

_KINDS: Final[Mapping[str, ArgumentKind]] = {
    "t": "text", "r": "read", "d": "list", "R": "tree", "w": "write", "n": "names", "e": "enter", "c": "change",
    "a": "any",
}  # fmt: skip
_VALUE: Final[Mapping[str, ArgumentKind]] = {
    ":": "text", "<": "read", ">": "output", "]": "folder", "/": "enter", "@": "text",
}  # fmt: skip
WRITING: Final = frozenset({"write", "place", "into", "change", "output", "folder", "any"})
COMPOSED: Final[Mapping[ArgumentKind, tuple[ArgumentKind, ...]]] = {
    "text": (), "change": ("read", "write"), "any": ("input", "output"),
}  # fmt: skip
"""Kinds that stand for others."""
_SIGNS: Final = "?:<>]/@!^="


@dataclass(frozen=True, slots=True)
class Option:
    """An option of a command: whether it takes a value, and its effects."""

    takes: Takes = "nothing"
    kind: ArgumentKind | None = None
    """The kind of its value; None if it takes none."""
    known: bool = True
    """False if the program has the option, but nobody has judged its effect."""
    runs: bool = False
    """It runs a program or reads further arguments from a file."""
    deep: bool = False
    """It makes the command recursive."""
    writes: bool = False
    """It makes the command change its operands."""
    uploads: bool = False
    """Its value names a file to read after an `@` (`curl -d @file`)."""

    @property
    def harmless(self) -> bool:
        return self.known and not (self.runs or self.writes) and self.kind in {None, "text", "names", "read"}


@dataclass(frozen=True, slots=True)
class ArgumentSpec:
    """The options and operands that a command accepts."""

    options: Mapping[str, Option]
    """By their names, with the dashes."""
    operands: tuple[ArgumentKind, ...] = ("text",)
    """The kinds of the operands in order; the last one applies to all that follow."""
    drops: frozenset[str] = frozenset()
    """Options that replace the first operand (`grep -e`)."""
    default: ArgumentKind | None = None
    """How the command uses the working directory if there are no operands."""
    strict: bool = True
    """An option that is not in the table makes the analysis incomplete."""
    stops: bool = False
    """Options end at the first operand."""
    numeric: bool = False
    """Accepts `-5` as an option."""
    sets: bool = False
    """A word with `=` sets a variable."""
    abbreviates: bool = False
    """All long options of the program are in the table, so it is known what an abbreviation means."""
    negates: bool = False
    """`--no-x` is the opposite of `--x`."""
    exact: bool = False
    """Several parsers of the program read the options one after the other: none may be abbreviated, and a word that
    looks like an option may be one for the first of them although it follows an option with a value."""
    one_dash: bool = False
    """One dash may begin a long option, too (`-outDir x`), and a colon its value (`-bl:x`). Letters are not joined."""
    letters: Letters = "joined"
    careless: bool = False
    """A word that turns out to be an option does no harm, whatever the options are."""
    safe: bool = field(init=False)
    """True if a word that turns out to be an option does no harm: with `careless`, or because no option in the table
    could."""
    reads: bool = field(init=False)
    """Some option has a value that is a path, so a word that turns out to be that option names one."""
    deep: frozenset[str] = field(init=False)
    """Options that make the command recursive."""
    writes: frozenset[str] = field(init=False)
    """Options that make the command change its operands."""
    by_spelling: Mapping[str, str] = field(init=False)
    """The names of long options by what remains of them without dashes and case (`--outputFile`, `--output-file`)."""

    def __post_init__(self) -> None:
        harmless = all(
            each.harmless for name, each in self.options.items() if not (self.numeric and name[1:].isdigit())
        )
        safe = self.careless or (self.strict and harmless and WRITING.isdisjoint(self.operands))
        object.__setattr__(self, "safe", safe)
        long = {} if self.strict else {_bare(name): name for name in self.options if self.one_dash or len(name) > 2}
        object.__setattr__(self, "by_spelling", long)
        object.__setattr__(self, "reads", any(each.kind not in {None, "text"} for each in self.options.values()))
        object.__setattr__(self, "deep", frozenset(name for name, each in self.options.items() if each.deep))
        object.__setattr__(self, "writes", frozenset(name for name, each in self.options.items() if each.writes))

    def takes_value(self, name: str) -> bool:
        return name in self.options and self.options[name].takes == "value"

    def named(self, name: str) -> str | None:
        """Return the long option of this command that a program may recognise as `name`: exactly, in another
        spelling, abbreviated, or as the part before or after a dot (`--outputFile.json`). None if there is none."""
        if name in self.options:
            return name
        whole, parts = _bare(name), name.split(".")
        exact = [self.by_spelling.get(each) for each in (whole, _bare(parts[0]), _bare(parts[-1]))]
        begun = (each for spelling, each in self.by_spelling.items() if spelling.startswith(whole))
        meant = (each for each in begun if self.options[each] != Option())
        return next(filter(None, exact), None) or (next(meant, None) if len(whole) > 1 else None)


def spec(
    flags: str = "", options: str = "", operands: str = "t", *, default: str = "", drops: str = "",
    strict: bool = True, stops: bool = False, numeric: bool = False, safe: bool = False, sets: bool = False,
    one_dash: bool = False, letters: Letters = "joined",
) -> ArgumentSpec:  # fmt: skip
    """Build an ArgumentSpec from a compact notation.

    `flags` are the letters of short options without a value. `options` are separated by blanks, with suffixes: none for
    a flag, `:` for a value that is text, `<` for a file to read, `>` for a file to write, `]` for a directory to write
    files into, `/` for a directory to enter, `@` for text that names a file after an `@`, `?` if the value may be
    missing and must be joined, `!` for an option that runs a program, `^` for one that makes the command recursive, `=`
    for one that makes it change its operands.
    `operands` has one letter of `_KINDS` for each.
    """
    table = {f"-{letter}": Option() for letter in flags}
    table |= dict(map(_option, options.split()))
    return ArgumentSpec(
        table, tuple(_KINDS[each] for each in operands), frozenset(drops.split()), _KINDS[default] if default else None,
        strict, stops, numeric, sets, one_dash=one_dash, letters=letters, careless=safe,
    )  # fmt: skip


def _bare(name: str) -> str:
    bare = name.lstrip("-")
    return bare.replace("-", "").replace("_", "").lower() if len(bare) > 1 else bare


def _option(token: str) -> tuple[str, Option]:
    name = token[:2] + token[2:].rstrip(_SIGNS)  # there is an option `-@`
    signs = token[len(name) :]
    kinds = [_VALUE[sign] for sign in signs if sign in _VALUE]
    takes: Takes = "joined" if "?" in signs else "value" if kinds else "nothing"
    kind = kinds[0] if kinds else "text" if "?" in signs else None
    return name, Option(takes, kind, runs="!" in signs, deep="^" in signs, writes="=" in signs, uploads="@" in signs)
