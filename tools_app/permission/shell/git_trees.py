"""The trees whose contents git shows although no files are named: `git diff`, `git log -p`, `git add .`."""

import re
from collections.abc import Sequence
from typing import Final

from tools_app.permission.shell.names import names
from tools_app.permission.shell.usage import UnnamedTree
from tools_app.permission.shell.words import Field

_NAMES_ONLY: Final = names(
    "--name-only --name-status --stat --numstat --shortstat --dirstat --summary --compact-summary --raw --quiet -q -s"
    " --no-patch --check"
)
_PATCH: Final = names("-p -u --patch --patch-with-stat -c --cc -m --patch-with-raw -W --function-context --full-diff")
_SHOWS_CHANGES: Final = re.compile(r"-[A-Za-z]*[pucmWUL]|--(?:pat|un|bin|cc|dd|func|full-d|remerge|diff-m)")
"""Options that show what changed, alone or among other letters, whole or abbreviated."""
_ABOUT_OBJECTS: Final = names("-e -t -s")
_OBJECT: Final = re.compile(r"[0-9a-f]{4,64}")
_SHOWING: Final = names("diff show diff-tree diff-index diff-files range-diff format-patch archive bundle")
_BEYOND_INDEX: Final = names("--cached --untracked --no-index --recurse-submodules -f -e")
_LOGS: Final = names("log whatchanged reflog shortlog rev-list")


def shown_trees(name: str, arguments: Sequence[Field]) -> list[UnnamedTree]:
    """Return the trees whose contents `git <name>` shows, or adds, with these arguments."""
    words = {each.text for each in arguments}
    if any(map(_SHOWS_CHANGES.match, words)):
        words.add("-p")
    if name in _SHOWING:
        return _shown(name, arguments, words)
    if name in _LOGS:
        return [UnnamedTree(None, "read", "revisions")] if words & _PATCH else []
    if name == "stash":
        shown = arguments[0].text in {"show", "list"} and words & _PATCH if arguments else False
        return [UnnamedTree(None, "read", "revisions")] if shown else []
    if name == "cat-file":
        by_number = any(":" not in each.text for each in _operands(arguments)[-1:])
        return [UnnamedTree(None, "read", "revisions")] if by_number and not words & _ABOUT_OBJECTS else []
    if name == "grep":
        elsewhere = words & _BEYOND_INDEX or len(_operands(arguments)) > 1
        return [UnnamedTree(None, "read", "revisions" if elsewhere else "index")]
    if name in {"add", "stage"}:
        tops: Sequence[Field | None] = _operands(arguments) or [None]
        return [UnnamedTree(top, "read", "worktree") for top in tops]
    return []


def _shown(name: str, arguments: Sequence[Field], words: set[str]) -> list[UnnamedTree]:
    operands = _operands(arguments)
    may_be_file = name == "show" and any(_OBJECT.fullmatch(each.text) for each in operands)
    if words & _NAMES_ONLY and not words & _PATCH and not may_be_file:
        return []
    if name == "show" and operands and all(":" in each.text[1:] for each in operands):
        return []  # files, which are judged by their names
    if name in {"diff", "diff-files"} and not operands and not words & {"--cached", "--staged"}:
        return [UnnamedTree(None, "read", "index")]
    return [UnnamedTree(None, "read", "revisions")]


def _operands(arguments: Sequence[Field]) -> list[Field]:
    return [each for each in arguments if not each.text.startswith("-") or not each.known]
