"""Tools that install git hooks: they write into the folder of hooks and change git's settings."""

from collections.abc import Mapping, Sequence
from typing import Final

from tools_app.permission.names import names
from tools_app.permission.shell.usage import CommandUsage
from tools_app.permission.shell.words import Field

_ANY: Final[frozenset[str]] = frozenset()
_INSTALLING: Final[Mapping[str, frozenset[str]]] = {
    "husky": _ANY, "simple-git-hooks": _ANY, "ghooks": _ANY, "yorkie": _ANY, "git-hooks": _ANY, "overcommit": _ANY,
    "lefthook": names("install add uninstall run"), "captainhook": names("install configure"),
    "pre-commit": names("install uninstall init-templatedir migrate-config"), "prek": names("install uninstall"),
    "pre_commit": names("install uninstall init-templatedir migrate-config"),
}  # fmt: skip
"""Tools, and their commands that change hooks; none: all of them."""
_CALLERS: Final = names("yarn pnpm bun npm cargo bundle composer")


def touch_hooks(name: str, args: Sequence[Field], usage: CommandUsage) -> None:
    """Record the git hooks and settings that a tool changes, even if a package manager runs the tool."""
    words = [each.text for each in args if not each.text.startswith("-")]
    given = [name, *words] if name not in _CALLERS else words[1:] if words[:1] in (["run"], ["exec"]) else words
    tool, commands = given[0] if given else "", given[1:]
    installing = _INSTALLING.get(tool.rpartition("/")[2])
    if installing is not None and (not installing or installing & set(commands[:2])):
        usage.touch([Field(".git/hooks"), Field(".git/config")], "write")
