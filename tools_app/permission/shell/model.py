"""Data types for the result of a shell analysis."""

from dataclasses import dataclass
from typing import Literal

Mode = Literal["read", "write"]

Decider = Literal["start", "name", "settings"]
Known = Literal["files", "index", "worktree", "shown", "revisions", "copied", "made", "nothing"]
"""The place in which the names of the files below a folder can be found. `files`: among its files. `index`: in git's
index. `worktree`: in both. `shown`: in both, for another program than git, so files that presets protect are included.
`revisions`: in revisions of git, which are not searched. `copied`: in the place that they are copied from. `made`:
nowhere, because a program makes the names from names that it finds. `nothing`: nowhere, because an archive or a patch
has the names, which may be any, also those that presets protect."""


@dataclass(frozen=True, slots=True)
class Command:
    """A simple command."""

    words: tuple[str, ...]
    """The arguments as the program receives them; where a value is not known, its source text."""
    text: str
    """The source text without redirections."""
    assignments: tuple[str, ...] = ()
    """The source texts of the assignments before the command."""


@dataclass(frozen=True, slots=True)
class Redirect:
    """A redirection. `path` is its absolute target; None if the target is not a file or not known."""

    operator: str
    target: str
    path: str | None
    mode: Mode


@dataclass(frozen=True, slots=True)
class PathUse:
    """A path that a command reads or writes."""

    path: str
    """Absolute. `..` is not resolved, because only the file system knows where links lead."""
    mode: Mode
    glob: bool = False
    """`path` is a glob pattern."""
    recursive: bool = False
    """Everything below `path` is touched too."""
    directory: bool = False
    """`path` is used as a directory: it is listed or entered."""
    contents: bool = True
    """False: only names and metadata are read."""
    into: bool = False
    """The path is written only if its parent directory exists."""
    hidden: bool = True
    """False: hidden and ignored files of the tree are left out."""
    follow: bool = False
    """Symbolic links in the tree are followed."""
    through: bool = False
    """With `follow`: files below folders to which such links lead are touched, too."""
    only: tuple[str, ...] = ()
    """Globs that file names in the tree must match; empty: all files."""
    known: Known = "files"
    """Where the names in the tree can be found."""
    repository: bool = False
    """The tree is the whole repository of git that contains `path`."""
    flat: bool = False
    """Of the tree, only files directly in `path` are touched."""
    source: "PathUse | None" = None
    """With `known` "copied": where the names of the files come from that are written into `path`."""
    whole: bool = False
    """If `path` is a folder, everything below it is touched too."""
    opened: bool = False
    """A descriptor of `path` stays open. If it is a folder, everything below may be read and written through it."""
    by_link: bool = False
    """True if the use applies only if a link in `path` leads elsewhere."""
    within: tuple[str, ...] = ()
    """Globs of which one must match a name on the way from the top of the tree to a file; empty: all files."""


@dataclass(frozen=True, slots=True)
class NewBranch:
    """A branch that git creates or renames. This may also change the settings file of the repository (`.git/config`),
    in which git stores the upstreams of branches."""

    folder: str
    """The absolute path of the directory in which git runs."""
    revision: str
    """The revision at which the branch begins, or a name (see `decided_by`); `*` if it is not known."""
    decided_by: Decider = "start"
    """The condition under which git changes settings. `start`: the branch begins at a branch of a remote (`git branch x
    origin/main`). `name`: only a remote has a branch of this name (`git switch x`). `settings`: the branch that is
    renamed or copied has settings."""


@dataclass(frozen=True, slots=True)
class ShellAnalysis:
    """The commands that a shell text runs and the paths that it touches."""

    patterns: tuple[str, ...]
    """The texts that rules for `bash` are matched with. Each must be allowed."""
    always: tuple[str, ...]
    """The patterns that an "always" answer would grant."""
    external_directories: tuple[str, ...]
    """Wildcards of directories outside the root."""
    complete: bool
    """False: the text may do more than is listed, for the `reasons`."""
    reasons: tuple[str, ...]
    commands: tuple[Command, ...]
    redirects: tuple[Redirect, ...]
    paths: tuple[PathUse, ...]
    possible: tuple[str, ...] = ()
    """Absolute paths that the commands may read or write as well. Only those that presets protect are judged."""
    words: tuple[str, ...] = ()
    """Absolute paths that the commands may mean by plain words. Only those that rules of people name are judged."""
    names: tuple[str, ...] = ()
    """Absolute paths of plain words that commands get. If one is a link, the target of the link is judged."""
    followed: tuple[str, ...] = ()
    """Absolute paths that commands may follow links in. Only rules of people apply to what the links lead to."""
    repositories: tuple[str, ...] = ()
    """Directories below the root in which git runs; settings there could make git run programs."""
    patches: tuple[str, ...] = ()
    """The absolute paths of patch files whose names of files git changes."""
    branches: tuple[NewBranch, ...] = ()
    """Branches for which git may keep an upstream in its settings."""
    mentions: tuple[str, ...] = ()
    """Texts that may be commands: in an incomplete command, or written by one command and run by a later one. Where the
    command runs unasked, rules that deny one of them apply."""
    too_long: bool = False
    """There are more texts that may be commands than `mentions` has."""
    codes: tuple[str, ...] = ()
    """Texts that may be run as code, and scripts. Where the command runs unasked, the files that they name are
    judged."""
    code_folders: tuple[str, ...] = ()
    """The absolute paths of the folders in which `codes` may run."""
    rememberable: bool = False
    """An "always" may be offered for exactly this text although the analysis is not complete."""
    spellings: tuple[str, ...] = ()
    """Other ways to write the commands, or their possible meanings. Rules that deny one of these, or ask about it by
    name, apply."""
