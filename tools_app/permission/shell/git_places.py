"""Places outside of the usual ones in which git writes: another working tree, and marks that count from `.git`."""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final

from tools_app.permission.names import names
from tools_app.permission.shell.options import ParsedArguments
from tools_app.permission.shell.usage import CommandUsage
from tools_app.permission.shell.words import Field

WORK_TREE: Final = "GIT_WORK_TREE"
_SETTING: Final = "core.worktree="
_MARKS: Final = names("--export-marks --import-marks --import-marks-if-exists --export-pack-edges")
_UNSAFE: Final = "--allow-unsafe-features"
"""An option of `git fast-import` with which its input may name files, too."""


def touch_work_trees(found: ParsedArguments, usage: CommandUsage) -> None:
    """Record that git may change files in the working tree that a global option names: `git --work-tree=a checkout`.

    `found` are the global options of a command that may change files.
    """
    settings = (each for each in found.values_of("-c") if each.text.lower().startswith(_SETTING))
    values = [Field(each.text[len(_SETTING) :], each.known) for each in settings]
    below = [Field(f".git/{each.text}", each.known) for each in values if each.text[:1] == "."]  # it counts from there
    trees = [*found.values_of("--work-tree"), *values, *below]
    usage.touch((each for each in trees if not is_usual(each.text)), "folder")


def is_usual(tree: str) -> bool:
    """Return whether a working tree is the working directory or one above it, as in most such commands."""
    return not tree.strip("./") or tree in {"/workspace", "$PWD"}


def touch_marks(arguments: Sequence[Field], usage: CommandUsage) -> None:
    """Record the files of marks that `git fast-import` writes. With an option, their names begin in a folder of
    `.git`."""
    usage.touch((Field(f".git/info/fast-import/{each.text}", each.known) for each in _marks(arguments)), "write")
    if any(each.text == _UNSAFE for each in arguments):
        usage.touch([Field(".git/config")], "write")


def _marks(arguments: Sequence[Field]) -> Iterator[Field]:
    for before, each in pairwise([Field(""), *arguments]):
        option, equals, value = each.text.partition("=")
        if equals and option in _MARKS:
            yield Field(value, each.known)
        elif before.text in _MARKS:
            yield each
