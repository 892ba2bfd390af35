"""Find new branches that get an upstream, because git then changes its settings in the repository.

`git checkout -b x origin/main` writes the upstream of `x` into `.git/config`, and so does `git switch x` if only a
remote has a branch `x`. A new branch that begins at a local branch changes no settings.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from sandbox.errors import LimitReached, SandboxRefused
from sandbox.ports import Runtime
from tools_app.permission.shell import paths
from tools_app.permission.shell.model import NewBranch, ShellAnalysis
from tools_app.spec import PermissionNeed
from tools_app.touched_paths import displayed, is_inside, stat_of

MAX_BYTES: Final = 1 << 20  # of a file of git; a longer one may contain anything
MAX_BRANCHES: Final = 16  # that are looked up; more count as if they got an upstream
MAX_REMOTES: Final = 16

_UPSTREAM: Final = re.compile(r"@\{(?:u|upstream|push)\}", re.IGNORECASE)
_NO_BRANCH: Final = re.compile(r"[~^:{]|\.\.|^(?:HEAD|@|-|[0-9a-f]{40})$")
"""Revisions that name a commit and not a branch."""
_REMOTES: Final = "refs/remotes/"
_CHANGES_REFS: Final = re.compile(r"fetch|pull|remote|update-ref|symbolic-ref|clone|bundle|autosetup\w*", re.IGNORECASE)
"""Words of a command that may add branches of remotes before a new branch begins, or change when git writes an
upstream."""


async def needs_of_branches(analysis: ShellAnalysis, runtime: Runtime, title: str) -> list[PermissionNeed]:
    """Return the permission needed to edit the git settings of each repository in which a new branch may get an
    upstream."""
    words = (word for each in analysis.commands for word in each.words[1:])
    changes = any(_CHANGES_REFS.match(word.rpartition(".")[2]) for word in words)
    found: dict[str, None] = {}
    for number, each in enumerate(analysis.branches):
        repository = await _repository(each.folder, runtime)
        if repository is None or repository.settings in found:
            continue
        if number >= MAX_BRANCHES or await repository.gives_upstream(each, changes=changes):
            found[repository.settings] = None
    return [PermissionNeed("edit", tuple(found), (), {"title": title})] if found else []


async def _repository(folder: str, runtime: Runtime) -> "_Repository | None":
    """Return the repository that a folder of the workspace is in."""
    place = paths.normal(folder)
    while is_inside(place):
        stat = await stat_of(f"{place}/.git", runtime)
        if stat is not None and stat.exists:
            packed = await _text(f"{place}/.git/packed-refs", runtime) if stat.kind == "directory" else None
            return _Repository(f"{place}/.git", packed, runtime)
        place = place.rpartition("/")[0]
    return None


async def _text(path: str, runtime: Runtime) -> str | None:
    """Return the text of a file; "" if it cannot be read, None if it has `MAX_BYTES` or more."""
    try:
        content = await runtime.read(path, limit=MAX_BYTES)
    except (SandboxRefused, LimitReached):
        return ""
    return None if len(content.content) >= MAX_BYTES else content.content.decode("utf-8", "replace")


@dataclass(frozen=True, slots=True)
class _Repository:
    folder: str
    """The absolute path of `.git`."""
    packed: str | None
    """The text of `packed-refs`; None if its branches cannot be known, as in a second working tree."""
    runtime: Runtime

    @property
    def settings(self) -> str:
        return displayed(f"{self.folder}/config")

    async def gives_upstream(self, branch: NewBranch, *, changes: bool) -> bool:
        """Return whether git may write an upstream for a branch. `changes`: the command may add branches of remotes."""
        if self.packed is None:
            return True
        settings = await _text(f"{self.folder}/config", self.runtime)
        if branch.decided_by == "settings":
            section = '[branch "' if branch.revision == "*" else f'[branch "{branch.revision}"]'
            return settings is None or section in settings
        remotes = await self._remotes()
        has_remote = changes and (settings is None or "[remote " in settings)
        if not (remotes or has_remote or _REMOTES in self.packed):
            return False
        if branch.revision == "*" or _UPSTREAM.search(branch.revision):
            return True
        if _NO_BRANCH.search(branch.revision):
            return False
        return await self._is_of_remote(branch, remotes, changes=changes)

    async def _is_of_remote(self, branch: NewBranch, remotes: Sequence[str], *, changes: bool) -> bool:
        """Return whether the new branch is created from a branch of a remote: one that it names as its start, or one of
        its own name that exists only at a remote. With `changes`, the command may fetch remote branches first, so False
        is returned only for an existing local branch."""
        name = branch.revision
        by_name = branch.decided_by == "name"
        if (by_name or changes) and await self._has(f"refs/heads/{name}"):
            return False
        if changes:
            return True
        if by_name:
            packed = re.search(rf" {_REMOTES}.+/{re.escape(name)}$", self.packed or "", re.MULTILINE)
            return bool(packed) or await self._has(*(f"{_REMOTES}{each}/{name}" for each in remotes))
        plain = name.removeprefix("refs/").removeprefix("remotes/")
        return await self._has(f"{_REMOTES}{plain}", f"{_REMOTES}{plain}/HEAD")

    async def _remotes(self) -> list[str]:
        try:
            entries = await self.runtime.list(f"{self.folder}/{_REMOTES}", limit=MAX_REMOTES)
        except (SandboxRefused, LimitReached):
            return []
        return [each.path.rstrip("/").rpartition("/")[2] for each in entries]

    async def _has(self, *refs: str) -> bool:
        """Return whether one of the refs exists in the repository."""
        for ref in refs:
            if re.search(rf" {re.escape(ref)}$", self.packed or "", re.MULTILINE):
                return True
            stat = None if ".." in ref.split("/") else await stat_of(f"{self.folder}/{ref}", self.runtime)
            if stat is not None and stat.exists and stat.kind == "file":
                return True
        return False
