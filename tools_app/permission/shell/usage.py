"""CommandUsage: the effects of one simple command with its arguments."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

from tools_app.permission.shell.model import Decider, Known, Mode
from tools_app.permission.shell.options import ParsedArguments, may_split
from tools_app.permission.shell.specs import ArgumentKind, ArgumentSpec
from tools_app.permission.shell.words import Field

PLAIN_GLOB: Final = re.compile(r"[\w.@+ *?-]+")
"""A glob for names that all programs interpret alike. Backslashes, classes and braces differ between programs."""


@dataclass(frozen=True, slots=True)
class UnnamedTree:
    """A folder in which a command reads or writes files that its arguments do not name."""

    top: Field | None
    """None: the whole repository of git."""
    mode: Mode
    known: Known
    only: tuple[str, ...] = ()
    """Globs that names of files in the tree must match; empty: all files."""
    flat: bool = False
    """Only files directly in the folder."""
    contents: bool = True
    """False: only names are shown."""
    follow: bool = False
    """Links in the folder are followed."""
    elsewhere: bool = False
    """True if the tree is ignored where it is the root of the workspace itself, in which a project's tool is expected
    to keep its files."""


@dataclass(frozen=True, slots=True)
class Copied:
    """Files that a command copies or moves into a folder under their old names."""

    source: Field
    target: Field
    deep: bool
    """Folders are copied with everything in them."""


@dataclass(slots=True)
class CommandUsage:
    """The paths that a command touches and the commands that it runs."""

    paths: list[tuple[Field, ArgumentKind]] = field(default_factory=list)
    """The paths that it touches, and how."""
    doubts: list[str] = field(default_factory=list)
    """Reasons why the command may do more than is listed, shown to people."""
    inner: list[list[Field]] = field(default_factory=list)
    """The commands that it runs, each as its words."""
    texts: list[Field] = field(default_factory=list)
    """The shell texts that it runs."""
    parameters: list[Field] = field(default_factory=list)
    """`$0`, `$1` and so on in the shell texts."""
    templates: list[str] = field(default_factory=list)
    """The commands that it runs with its input in the place of UNKNOWN."""
    links: list[Field] = field(default_factory=list)
    """The paths that it may replace by links."""
    linked: list[tuple[Field, Field]] = field(default_factory=list)
    """Links that it makes, and what they lead to."""
    copied_links: list[tuple[Field, Field]] = field(default_factory=list)
    """Copies that it makes and that may be, or contain, links, and what they are copies of."""
    canonical: list[Field] | None = None
    """Its words without options that do not matter to rules; None if the words are used as they are."""
    possible: list[Field] = field(default_factory=list)
    """Words of which any part may name a file that it reads or writes. Only files that presets protect are judged."""
    words: list[Field] = field(default_factory=list)
    """Words that do not look like files and may name one that it reads or writes. Only rules of people apply."""
    follows: list[Field] = field(default_factory=list)
    """Words that may be folders in which it follows links. Only rules of people apply."""
    results: list[Field] = field(default_factory=list)
    """Folders into which it usually writes. They are judged only if they are links that lead elsewhere."""
    prints: list[Field] = field(default_factory=list)
    """Globs for the files whose names it prints, if these are known more exactly than from the paths that it lists."""
    tasks: list[list[Field]] = field(default_factory=list)
    """Commands that it also stands for, as their words: `make a b` is `make a` and `make b`. Each must be allowed."""
    deep: bool = False
    """Everything below its paths is touched too."""
    of_repository: list[Field] = field(default_factory=list)
    """Files that it reads, whose paths count from the root of the repository or from the working directory."""
    lists_revisions: bool = False
    """True if it shows the names of the files in those of `of_repository` that are folders."""
    searches: list[Field] = field(default_factory=list)
    """The folders in which it looks for files that code names."""
    folders: list[Field] = field(default_factory=list)
    """The directories that it changes to first, one after the other (`git -C`, `make -C`, `env -C`)."""
    runs: list[Field] = field(default_factory=list)
    """The files whose content it runs."""
    task_files: tuple[str, ...] = ()
    """The files in its working directory in which it may find commands to run."""
    spellings: list[list[Field]] = field(default_factory=list)
    """Other ways to write it, which rules may match too."""
    variables: list[tuple[str, str]] = field(default_factory=list)
    """The variables that it sets for the commands that it runs, with their values."""
    trees: list[UnnamedTree] = field(default_factory=list)
    """The folders below which it touches files that it does not name."""
    copies: list[Copied] = field(default_factory=list)
    """The files that it copies or moves and whose names its words do not say."""
    patches: list[Field] = field(default_factory=list)
    """The patch files whose names of files it changes."""
    branches: list[tuple[Field, Decider]] = field(default_factory=list)
    """The revisions or names of branches for which git may keep an upstream in its settings."""
    follow: bool = False
    """Links in the trees that it reads are followed."""
    hidden: bool = True
    """Hidden files of the trees are read."""
    described: bool = True
    """False: the analysis has no table for the command, so it may read and run whatever it gets."""
    only: tuple[str, ...] = ()
    """Globs that names of files in the trees must match; empty: all files."""

    def doubt(self, reason: str) -> "CommandUsage":
        """Add a reason why the analysis is incomplete, and return self."""
        self.doubts.append(reason)
        return self

    def only_names(self, globs: Iterable[str]) -> None:
        """Limit the directory trees that the command touches to file names that match one of the globs. There is no
        limit if a program may interpret one of these globs differently."""
        given = tuple(globs)
        self.only = given if all(map(PLAIN_GLOB.fullmatch, given)) else ()

    def touch(self, fields: Iterable[Field], kind: ArgumentKind) -> None:
        self.paths.extend((each, kind) for each in fields)


def usage_of_options(found: ParsedArguments) -> CommandUsage:
    """Return the effects of a command's options, without the effects of its operands."""
    return CommandUsage(list(found.paths), list(found.doubts), possible=list(found.possible))


def usage_of(found: ParsedArguments, spec: ArgumentSpec) -> CommandUsage:
    """Return the usage of a command that is fully described by its ArgumentSpec."""
    usage = usage_of_options(found)
    usage.deep = bool(spec.deep) and found.has(*spec.deep)
    dropped = bool(spec.drops) and found.has(*spec.drops)
    writes = bool(spec.writes) and found.has(*spec.writes)
    kinds = spec.operands[1:] if dropped and len(spec.operands) > 1 else spec.operands
    shifted = _may_be_shifted(found, spec)
    for index, operand in enumerate(found.operands or (found.rest if spec.stops else ())):
        shifted = shifted or may_split(operand)
        for kind in _kinds_at(index, kinds, shifted=shifted):
            usage.paths.append((operand, "change" if writes else kind))
    for value in found.loose:
        usage.paths += [(value, "change" if writes else kind) for kind in _kinds_at(0, kinds, shifted=True)]
    sure = _sure_kinds(found.operands or (found.rest if spec.stops else ()), kinds)
    if all(kind == "text" for kind in sure) and (spec.default or usage.deep) and kinds[-1] != "text":
        usage.paths.append((Field("."), spec.default or "tree"))
    return usage


def _may_be_shifted(found: ParsedArguments, spec: ArgumentSpec) -> bool:
    """Return whether an option that no table lists may take the first operand as its value."""
    return not spec.strict and any(name not in spec.options for name, _ in found.options)


def _sure_kinds(operands: Sequence[Field], kinds: Sequence[ArgumentKind]) -> Sequence[ArgumentKind]:
    """Return the kinds of those arguments that certainly exist: an unquoted variable may expand to no word, while a
    glob expands to at least one."""
    least = sum(1 for each in operands if each.pattern is not None or not may_split(each))
    return kinds[:least]


def _kinds_at(index: int, kinds: Sequence[ArgumentKind], *, shifted: bool) -> list[ArgumentKind]:
    """Return the kinds that the operand at `index` may have.

    If it or an earlier word may expand to several words (`shifted`), it may also have any of the later kinds.
    """
    first = min(index, len(kinds) - 1)
    found = kinds[first:] if shifted else kinds[first : first + 1]
    return [kind for kind in dict.fromkeys(found) if kind != "text"]


def touch_folders_on_the_way(operands: Iterable[Field], usage: CommandUsage) -> None:
    """Record the folders that a command may create for a path with `..`: `a/b` for `a/b/../c`."""
    for each in operands:
        ways = [match.start() for match in re.finditer(r"/\.\.(?=/|$)", each.text)]
        usage.touch([Field(each.text[:end], each.known) for end in ways if end], "write")
