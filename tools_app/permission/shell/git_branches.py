"""Find the new branches of a git command that may get an upstream, which git stores in the repository's settings.

A branch gets an upstream if it starts at a remote-tracking branch (`git checkout -b x origin/main`), or if git creates
it because a remote has a branch of this name (`git switch x`). Only the repository shows whether a revision is a
remote-tracking branch.
"""

from collections.abc import Iterator, Sequence
from typing import Final

from tools_app.permission.names import names
from tools_app.permission.shell.model import Decider
from tools_app.permission.shell.options import ParsedArguments
from tools_app.permission.shell.words import Field

_CREATE: Final = names("-b -B -c -C --create --force-create")
_WITHOUT: Final = names("--no-track --orphan")
_WITHOUT_BRANCH: Final = names("-d --detach --no-guess")
_LOOKS: Final = names(
    "-a -d -D -l -r -v -u -t --all --contains --delete --edit-description --format --list --merged --no-contains"
    " --no-merged --points-at --remotes --set-upstream-to --show-current --sort --unset-upstream --verbose"
)
"""Options with which `git branch` makes no branch, or changes the settings in any case."""
_MOVES: Final = names("-m -M -c -C --move --copy")
_UNKNOWN: Final = Field("", known=False)


def new_branches(
    name: str, second: str, arguments: Sequence[Field], found: ParsedArguments
) -> Iterator[tuple[Field, Decider]]:
    """Yield, for each branch that `git name arguments` may make, the revision or name that decides whether it gets an
    upstream."""
    if name not in {"branch", "checkout", "switch"} and (name, second) != ("worktree", "add"):
        return
    if not all(each.known for each in arguments):
        yield _UNKNOWN, "start"
    if found.has(*_WITHOUT):
        return
    plain = found.operands[: len(found.operands) - len(found.rest)] if name == "checkout" else found.operands
    if name == "branch":
        yield from _of_branch(plain, found)
    elif name == "worktree":
        yield from _of_worktree(plain, found)
    elif found.has(*_CREATE):
        yield from ((each, "start") for each in plain[:1])
    elif len(plain) == 1 and not found.rest and not found.has(*_WITHOUT_BRANCH):
        yield plain[0], "name"


def _of_branch(operands: Sequence[Field], found: ParsedArguments) -> Iterator[tuple[Field, Decider]]:
    if found.has(*_MOVES):
        yield operands[0] if len(operands) > 1 else _UNKNOWN, "settings"
    elif not found.has(*_LOOKS):
        yield from ((each, "start") for each in operands[1:2])


def _of_worktree(operands: Sequence[Field], found: ParsedArguments) -> Iterator[tuple[Field, Decider]]:
    if found.has("-b", "-B"):
        yield from ((each, "start") for each in operands[1:2])
    elif not found.has("-d", "--detach"):
        guessed = operands[:1] if found.has("--guess-remote") else []
        names_of = [Field(each.text.rstrip("/").rpartition("/")[2], each.known) for each in guessed]
        yield from ((each, "name") for each in operands[1:2] or names_of)
