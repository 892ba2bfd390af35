"""What the analysis of a shell text says. Plain values."""

from dataclasses import dataclass
from typing import Literal

Mode = Literal["read", "write"]


@dataclass(frozen=True, slots=True)
class Command:
    """A simple command: its words as the program gets them (source text where that is not known), its source text
    without redirections, and the source of the assignments before it."""

    words: tuple[str, ...]
    text: str
    assignments: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Redirect:
    """`path` is where it leads, absolute; None when it is no file or nobody knows."""

    operator: str
    target: str
    path: str | None
    mode: Mode


@dataclass(frozen=True, slots=True)
class PathUse:
    """A place that is touched: absolute, with `..` left for the system to resolve.

    `glob`: the path is a pattern. `recursive`: everything below is touched too. `directory`: the path is meant as a
    folder (its entries are listed, or one enters it). `contents` False: only names and metadata are read. `into`: it
    is written only if the folder above it exists. Of a tree, `hidden` False leaves out hidden and ignored files,
    `follow` goes through links too, and `only` are the globs that names must match.
    """

    path: str
    mode: Mode
    glob: bool = False
    recursive: bool = False
    directory: bool = False
    contents: bool = True
    into: bool = False
    hidden: bool = True
    follow: bool = False
    only: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ShellAnalysis:
    """`patterns` are what rules on `bash` are matched with, each of which must be allowed; `always` what an "always"
    answer would grant; `external_directories` wildcards of folders outside the root.

    `complete` False: the text may do more than what is listed, for the `reasons`. `repositories` are the folders below
    the root in which git runs, where settings that lie there could make it run programs. `rememberable`: this very text
    may be offered for an "always" although it is not complete. `spellings` are other ways to write its commands, or
    what they may mean: a rule that denies one of them, or asks for it by name, holds.
    """

    patterns: tuple[str, ...]
    always: tuple[str, ...]
    external_directories: tuple[str, ...]
    complete: bool
    reasons: tuple[str, ...]
    commands: tuple[Command, ...]
    redirects: tuple[Redirect, ...]
    paths: tuple[PathUse, ...]
    repositories: tuple[str, ...] = ()
    rememberable: bool = False
    spellings: tuple[str, ...] = ()
