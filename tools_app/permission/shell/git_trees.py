"""Find directory trees whose contents git shows although no files are named: `git diff`, `git log -p`, `git add .`."""

import re
from collections.abc import Mapping, Sequence
from typing import Final

from tools_app.permission.names import names
from tools_app.permission.shell.model import Known
from tools_app.permission.shell.tables_git import READING
from tools_app.permission.shell.tables_git_changes import CHANGING
from tools_app.permission.shell.usage import UnnamedTree
from tools_app.permission.shell.words import Field

_NAMES_ONLY: Final = names(
    "--name-only --name-status --stat --numstat --shortstat --dirstat --summary --compact-summary --raw --quiet -q -s"
    " --no-patch"
)
_PATCH: Final = names(
    "-p -u --patch --patch-with-stat -c --cc -m --patch-with-raw -W --function-context --full-diff --check"
)
_SHOWS_CHANGES: Final = re.compile(r"-[A-Za-z]*[pucmWUL]|--(?:pat|un|bin|che|cc|dd|func|full-d|remerge|diff-m)")
"""Options that show what changed, alone or among other letters, whole or abbreviated."""
_ABOUT_OBJECTS: Final = names("-e -t -s")
_COMMIT: Final = re.compile(
    r"(?:HEAD|@)(?:@\{[^{}:]*\})?|@\{[^{}:]*\}|.*(?:~\d*|\^\d*|\^\{commit\}|\^\{tree\}|\^\{/[^{}]*\})|:/.*", re.DOTALL
)
"""Revisions that cannot be files. Any other name may be a tag of a file, and so may a number or `tag^{}`."""
_IN_BRACES: Final = re.compile(r"\{.*\}", re.DOTALL)
_SHOWING: Final = names("diff show diff-tree diff-index diff-files range-diff format-patch archive bundle")
_VERBOSE: Final = re.compile(r"-[A-Za-z]*v[A-Za-z]*|--verb?o?s?e?")
_OTHER_BY_NAME: Final = names(
    "branch check-mailmap check-ref-format clone column commit commit-graph commit-tree config count-objects credential"
    " fetch fsck gc help hash-object init interpret-trailers lfs ls-remote maintenance mktag multi-pack-index notes"
    " pack-refs prune prune-packed push rebase reflog remote repack replace rev-parse send-pack show-branch stripspace"
    " submodule symbolic-ref tag update-index update-ref update-server-info var verify-commit verify-pack verify-tag"
    " version worktree write-tree"
)
"""Commands that are not in the tables of those that show or change files, and do neither. A command of git that is in
no table, an alias among them, counts as one that does both."""
_RAW: Final = re.compile(r".*%\(\*?raw", re.DOTALL)
"""A format with which lists of references show the contents of the files that references may name."""
_GIVES_NEW_NAMES: Final = {
    "worktree": re.compile("add"), "fsck": re.compile("--lo.*"), "replace": re.compile("(?!-).*", re.DOTALL),
    "update-index": re.compile("(?:--cachei|--index-i).*", re.DOTALL),
}  # fmt: skip
"""Commands that make contents of the repository readable under names that rules do not know, each with a pattern for
the words that do so."""
_PATCHING: Final = names("checkout reset restore stash commit")
_ONE_BY_ONE: Final = re.compile(r"-[A-Za-z]*p[A-Za-z]*|--patch?|--inter?a?c?t?i?v?e?")
_BEYOND_INDEX: Final = re.compile(r"--(?:ca|u|no-i|rec)")
_PATTERN_OPTION: Final = re.compile(r"-[A-Za-z]*[ef]")
_WITH_PATH: Final = re.compile(r"((?:[^{}:]|\{[^{}]*\})*|:[0-3]):[^/(!^].*", re.DOTALL)
"""A revision and a path behind it; colons in braces belong to the revision, and `:(top)x` is a pattern for paths."""
_NAMING: Final[Mapping[str, tuple[Known, bool]]] = {
    "ls-files": ("worktree", False), "status": ("worktree", False), "clean": ("worktree", False),
    "ls-tree": ("revisions", False), "whatchanged": ("revisions", False),
    "diff": ("index", True), "diff-files": ("index", False),
    "diff-tree": ("revisions", False), "diff-index": ("revisions", False), "add": ("worktree", True),
    "stage": ("worktree", True),
    "rev-list": ("revisions", True), "commit": ("worktree", True), "count-objects": ("nothing", True),
}  # fmt: skip
"""Commands that show names: where these are found, and whether only certain options show them."""
_ENDING: Final = re.compile(r"[\w/.-]*(\*[\w.-]+)")
_SHOWS_NAMES: Final = re.compile(r"--(?:name-|stat|num|dirs|summ|comp|raw|obj|dry|cum)|-[a-zA-Z]*[XB]")
_ADDS_ALOUD: Final = re.compile(r"-[A-Za-z]*[nv]|--(?:dry?|ver)")
_NAME_OPTIONS: Final = {"add": _ADDS_ALOUD, "stage": _ADDS_ALOUD}
_LOGS: Final = names("log whatchanged reflog shortlog rev-list")
_SEARCHES: Final = re.compile(r"-[A-Za-z]*[SG]|--pick")
"""Options that search the contents of all files, so that the results reveal contents."""
_SEARCHING: Final = _SHOWING | _LOGS | {"stash"}


def shown_trees(name: str, arguments: Sequence[Field]) -> list[UnnamedTree]:
    """Return the directory trees whose contents or file names `git <name>` shows or writes with these arguments."""
    words = {each.text for each in arguments}
    if _shows_hunks(name, words) or any(map(_RAW.match, words)) or _gives_new_names(name, arguments):
        return [UnnamedTree(None, "read", "revisions")]
    if _is_in_no_table(name):
        return [UnnamedTree(None, "read", "revisions"), UnnamedTree(None, "write", "revisions")]
    if any(map(_SHOWS_CHANGES.match, words)):
        words.add("-p")
    if name in _SEARCHING and any(map(_SEARCHES.match, words)):
        return [UnnamedTree(None, "read", "revisions")]
    return _shown_on_purpose(name, arguments, words) or _named(name, arguments, words)


def _named(name: str, arguments: Sequence[Field], words: set[str]) -> list[UnnamedTree]:
    """Return the directory trees whose file names `git <name>` prints with these arguments."""
    if name in _NAMING:
        known, by_option = _NAMING[name]
    else:
        known, by_option = "revisions", name in (_SHOWING | _LOGS | {"stash"})
    shown_anyway = name == "stash" and [each.text for each in arguments[:1]] == ["show"]
    if by_option and not shown_anyway and not any(map(_NAME_OPTIONS.get(name, _SHOWS_NAMES).match, words)):
        return []
    tops: Sequence[Field | None] = (_operands(arguments) if name in {"ls-files", "status"} else []) or [None]
    if any(map(_UNTRACKED.fullmatch, words)):
        return [UnnamedTree(top or Field("."), "read", "files", contents=False) for top in tops]
    return [UnnamedTree(top, "read", known, _endings(top), contents=False) for top in tops]


def _endings(pathspec: Field | None) -> tuple[str, ...]:
    """Return a glob for the names of the files that a git pathspec matches, such as `*.py`; an empty tuple if the
    pathspec is not of this kind.

    A `*` in a pathspec also matches slashes.
    """
    found = _ENDING.fullmatch(pathspec.text) if pathspec else None
    return (found[1],) if found else ()


def _shown_on_purpose(name: str, arguments: Sequence[Field], words: set[str]) -> list[UnnamedTree]:
    if name in _SHOWING:
        return _shown(name, arguments, words)
    if name in _LOGS:
        return [UnnamedTree(None, "read", "revisions")] if words & _PATCH else []
    if name == "stash":
        return _stashed(arguments, words)
    if name == "cat-file":
        by_number = not all(_names_path(each.text) for each in _operands(arguments)[-1:])
        return [UnnamedTree(None, "read", "revisions")] if by_number and not words & _ABOUT_OBJECTS else []
    if name == "grep":
        given = any(map(_PATTERN_OPTION.match, words))
        elsewhere = any(map(_BEYOND_INDEX.match, words)) or len(_operands(arguments)) > (0 if given else 1)
        return [UnnamedTree(None, "read", "revisions" if elsewhere else "index")]
    if name in {"add", "stage"}:
        tops: Sequence[Field | None] = _operands(arguments) or [None]
        if any(map(_FORCED.fullmatch, words)):  # also files that git is told to ignore
            return [UnnamedTree(_top_of(top), "read", "files") for top in tops]
        return [UnnamedTree(top, "read", "worktree") for top in tops]
    return []


def _stashed(arguments: Sequence[Field], words: set[str]) -> list[UnnamedTree]:
    if any(map(_STASHES_ALL.fullmatch, words)):
        return [UnnamedTree(Field("."), "read", "files")]
    if any(map(_STASHES_UNTRACKED.fullmatch, words)):
        return [UnnamedTree(None, "read", "worktree")]
    shown = arguments[0].text in {"show", "list"} and words & _PATCH if arguments else False
    return [UnnamedTree(None, "read", "revisions")] if shown else []


def _is_in_no_table(name: str) -> bool:
    known = name in READING or name in CHANGING or name in _OTHER_BY_NAME
    return not known and name not in {"stash", "stage", "bisect"}


def _shows_hunks(name: str, words: set[str]) -> bool:
    """Return whether a git command with these options shows changes to files, besides its usual output, or asks
    about each change."""
    if name in {"status", "commit"} and any(map(_VERBOSE.fullmatch, words)):
        return name == "status" or "--dry-run" in words
    if name == "notes":
        return any(each.startswith(("-C", "-c", "--reu", "--ree")) for each in words)
    if name in {"am", "rebase"}:
        return any(each.startswith("--sh") for each in words)
    return name in _PATCHING and any(map(_ONE_BY_ONE.fullmatch, words))


def _gives_new_names(name: str, arguments: Sequence[Field]) -> bool:
    """Return whether a git command makes contents of the repository readable under names that rules do not know."""
    wanted = _GIVES_NEW_NAMES.get(name)
    return wanted is not None and any(wanted.fullmatch(each.text) for each in arguments)


def _names_path(text: str) -> bool:
    """Return whether a revision names a file or folder by its path from the root (`HEAD:src/app.py`).

    If the part before the colon is the id or a tag of a tree, the path is relative to that tree.
    """
    found = _WITH_PATH.fullmatch(text)
    before = found[1] if found else ""
    return bool(found) and bool(_COMMIT.fullmatch(before) or re.fullmatch(r"(?::[0-3])?|refs/heads/[\w./-]+", before))


def _may_be_file(text: str) -> bool:
    return ".." not in text and not _COMMIT.fullmatch(text)


def _shown(name: str, arguments: Sequence[Field], words: set[str]) -> list[UnnamedTree]:
    operands = _operands(arguments)
    may_be_file = name == "show" and any(_may_be_file(each.text) for each in _operands(_before_paths(arguments)))
    if words & _NAMES_ONLY and not words & _PATCH and not may_be_file:
        return []
    if name == "show" and operands and all(_names_path(each.text) for each in operands):
        return []  # files, which are judged by their names
    if name in {"diff", "diff-files"} and not operands and not words & {"--cached", "--staged"}:
        return [UnnamedTree(None, "read", "index")]
    return [UnnamedTree(None, "read", "revisions")]


def _before_paths(arguments: Sequence[Field]) -> Sequence[Field]:
    end = next((index for index, each in enumerate(arguments) if each.text == "--"), len(arguments))
    return arguments[:end]


_STASHES_ALL: Final = re.compile(r"-[A-Za-z]*a[A-Za-z]*|--a(?:ll?)?")
_STASHES_UNTRACKED: Final = re.compile(r"-[A-Za-z]*u[A-Za-z]*|--inc[a-z-]*")
"""Options with which `git stash` also stores files that git does not track, or that it is told to ignore."""
_FORCED: Final = re.compile(r"-[A-Za-z]*f[A-Za-z]*|--f(?:o(?:r(?:c(?:e)?)?)?)?")


def _top_of(operand: Field | None) -> Field:
    """Return the folder below which git finds the files of the argument; `.` if git itself expands it (globs, `:/`)."""
    return Field(".") if operand is None or re.search(r"[*?\[:]", operand.text) else operand


_UNTRACKED: Final = re.compile(r"-[a-z]*[oi][a-z]*|--others|--ignored(?:=.*)?")
"""Options with which files are shown that git does not track, and of which presets may protect some."""


def _operands(arguments: Sequence[Field]) -> list[Field]:
    return [each for each in arguments if not each.text.startswith("-") or not each.known]
