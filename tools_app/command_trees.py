"""Search a folder tree for files that rules protect, because a command reads, changes or lists the tree.

The files that are found are judged like any other path. For parts that could not be searched, the gate assumes that the
strictest rule matches something there.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from typing import Final

from sandbox.errors import LimitReached, SandboxRefused
from sandbox.ports import HOME, WORKSPACE_ROOT, FileStat, Runtime
from tools_app.permission.below import TooComplex, path_below
from tools_app.permission.shell import PathUse, paths
from tools_app.permission.wildcard import is_literal, match
from tools_app.secret_paths import SECRET_PATTERNS, is_secret, is_steering
from tools_app.touched_paths import (
    TouchedPaths,
    Tree,
    TreePermission,
    displayed,
    entries_of,
    for_each,
    name_of,
    stat_of,
)

MAX_FOLDERS: Final = 300  # that are searched below one folder
MAX_FOLDERS_BY_NAME: Final = 1_500  # if only files with certain names are read
MAX_DEPTH: Final = 12  # levels of folders that are searched
MAX_UNSEARCHED: Final = 2_000  # folders that are compared with a pattern
MAX_FOUND: Final = 50  # protected files; more would change nothing
MAX_BYTES_READ: Final = 65_536  # of an ignore file or of git's settings

SKIPPED: Final = frozenset(
    {".git", "node_modules", ".venv", "venv", "__pycache__", ".mypy_cache", ".ruff_cache", ".tox"}
)
"""Folders that are too large to search and in which people do not keep secrets. Rules that people wrote apply there,
too."""
_DATABASES: Final = ("/.git/objects", "/.git/lfs")
"""Folders of git in which files have no names that people chose."""

_IGNORE_FILES: Final = frozenset({".gitignore", ".ignore", ".rgignore"})
_UNIGNORED: Final = re.compile(
    r"^!(?!(?:.*/)?\.(?:env\.(?:example|sample|template)|git\w+)\s*$)(?:.*/)?[.*?\[{\\]", re.MULTILINE
)
"""A line of an ignore file that makes tools include hidden files, such as `!.env` or `!.*`."""
_PRIVATE: Final = re.compile(rf"{HOME}/\.(?:ssh|aws|azure|gnupg|kube|docker|config)(?:/.*)?")
_CREDENTIALS: Final = re.compile(r"://[^/\s]+@|extraheader|password|token", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Search:
    """The search for protected files in one directory tree."""

    top: str
    use: PathUse
    permission: TreePermission
    written: tuple[str, ...]
    """Patterns of the rules that people wrote."""
    presets: bool
    """Files that presets protect are searched for, too."""

    @property
    def folder(self) -> str:
        return displayed(self.top)

    def wants(self, entry: FileStat) -> bool:
        """Return whether the command touches an entry, judging by the names of the entry and of the folders above
        it."""
        names = entry.path.removeprefix(self.top).strip("/").split("/")
        is_within = not self.use.within or any(fnmatchcase(name, each) for name in names for each in self.use.within)
        return is_within and (not self.use.only or any(fnmatchcase(names[-1], each) for each in self.use.only))

    @property
    def is_general(self) -> bool:
        """Return whether all folders are searched. Otherwise, a folder is searched only if a rule that people wrote can
        match a path in it."""
        return self.presets or self.use.follow

    def may_go_on(self, entry: FileStat) -> bool:
        """Return whether a rule that people wrote can match something below a folder."""
        return any(_can_match_in(pattern, [entry.real_path]) for pattern in self.written)


async def search_tree(
    top: str, use: PathUse, permission: TreePermission, runtime: Runtime, found: TouchedPaths
) -> None:
    """Search the directory tree below a folder for files that rules protect. Records these files, and the tree with the
    searched patterns."""
    folder, names = (".", ()) if use.follow else (displayed(top), use.only)  # a link leads to any folder and name
    rules = found.rules.below(permission, folder, names) if found.rules else ()
    written = tuple(dict.fromkeys(rule.pattern for rule in rules if not rule.is_preset))
    search = _Search(top, use, permission, written, _may_hold_presets(permission, use))
    unsearched = await _walk(search, runtime, found) if search.is_general or written else []
    if permission != "list" or written or found.rules is None:
        searched = tuple(each for each in written if not _can_match_in(each, unsearched))
        found.trees.setdefault(Tree(permission, search.folder, use.only, searched, flat=use.flat))
    if permission == "read" and use.contents:  # who reads a tree sees its names
        await search_tree(top, replace(use, contents=False), "list", runtime, found)


async def _walk(search: _Search, runtime: Runtime, found: TouchedPaths) -> list[str]:
    """Walk a directory tree level by level. Returns the folders that were not searched, because there are too many or
    their entries are not known."""
    use = await _with_unignored_files_above(search, runtime, found)
    waiting, seen = [search.top], set[str]()
    most = MAX_FOLDERS_BY_NAME if search.use.only else MAX_FOLDERS
    for _ in range(1 if search.use.flat else MAX_DEPTH):
        if not waiting:
            break
        seen.update(waiting)
        if len(seen) > most or len(found.of(search.permission)) > MAX_FOUND:
            break
        listed = await for_each(entries_of, waiting, runtime, found)
        entries = [entry for each in listed for entry in each]
        use = await _with_unignored_files(use, entries, runtime)
        search = replace(search, use=use)
        await _record_folders_outside(entries, search, runtime, found)
        if search.permission == "read":
            await _record_git_settings(entries, use, runtime, found)
        onward = (folder for entry in entries for folder in _record_entry(entry, search, found))
        waiting = [folder for folder in dict.fromkeys(onward) if folder not in seen and not search.use.flat]
    if waiting and search.is_general:
        found.doubts.setdefault("It touches a tree with too many folders to look through for protected files.")
    unlisted = [folder for folder in seen if folder in found.unlisted]
    if unlisted and search.is_general:
        found.doubts.setdefault("It touches a folder whose files cannot be listed.")
    return [*waiting, *unlisted]


def _record_entry(entry: FileStat, search: _Search, found: TouchedPaths) -> Iterator[str]:
    """Record an entry of a folder if rules protect it. If it is a folder that must be searched too, yield its path."""
    name, use = name_of(entry), search.use
    if not use.hidden and name.startswith("."):
        return
    if use.follow and search.wants(entry) and not entry.inside:
        _record_way_out(entry, search, found)
    if search.wants(entry):
        _record_protected(entry, search, found)
    if use.follow and is_above_workspace(entry):
        yield WORKSPACE_ROOT
    if _is_folder(entry, use) and ((search.is_general and not _is_skipped(entry, search)) or search.may_go_on(entry)):
        yield entry.real_path


def _record_way_out(entry: FileStat, search: _Search, found: TouchedPaths) -> None:
    """Record what a link leads to, outside of the workspace, as touched with everything below it."""
    place, permission = entry.real_path, search.permission
    found.outside.setdefault(paths.outside_pattern(place, directory=True))
    if permission != "list":
        found.of(permission).setdefault(place)
    found.trees.setdefault(Tree(permission, place, search.use.only, presets=may_have_secrets(place)))


async def _record_folders_outside(
    entries: Sequence[FileStat], search: _Search, runtime: Runtime, found: TouchedPaths
) -> None:
    """Record the folders outside of the workspace to which links lead whose own names the command does not search
    for: files in these folders may have the names."""
    shown = [each for each in entries if search.use.hidden or not name_of(each).startswith(".")]
    links = [each for each in shown if each.kind == "symlink" and not each.inside and not search.wants(each)]
    for each in links if search.use.through else ():
        stat = await stat_of(each.path, runtime)
        if stat is None or stat.kind == "directory" or may_have_secrets(each.real_path):
            _record_way_out(each, search, found)


def may_have_secrets(folder: str) -> bool:
    """Return whether a folder outside of the workspace may contain secrets of the home directory.

    The home directory is not searched. Caches and installed packages in it contain no secrets.
    """
    return paths.is_under(HOME, folder) or bool(_PRIVATE.fullmatch(folder))


def is_above_workspace(entry: FileStat) -> bool:
    """Return whether a path leads to a folder that contains the workspace."""
    return not entry.inside and paths.is_under(WORKSPACE_ROOT, entry.real_path)


def _is_folder(entry: FileStat, use: PathUse) -> bool:
    is_link_to_one = use.follow and entry.kind == "symlink" and entry.inside
    return (entry.kind == "directory" or is_link_to_one) and not entry.real_path.endswith(_DATABASES)


def _record_protected(entry: FileStat, search: _Search, found: TouchedPaths) -> None:
    """Record a file or folder if rules protect it. If the command follows links, record their targets too."""
    for place in dict.fromkeys((entry.path, entry.real_path) if search.use.follow else (entry.path,)):
        path = displayed(place)
        by_preset = search.presets and not _is_below_skipped(place, search) and _is_preset(entry, path, search)
        if by_preset or _is_hidden(entry, path, search, found):
            found.of(search.permission).setdefault(path)


def _is_preset(entry: FileStat, path: str, search: _Search) -> bool:
    if search.permission == "edit" and is_steering(path):
        return True
    return entry.kind != "directory" and search.permission != "list" and is_secret(path)


def _is_hidden(entry: FileStat, path: str, search: _Search, found: TouchedPaths) -> bool:
    """Return whether a path matches a rule that people wrote and that asks about the path or denies it.

    A folder itself is not read. So a rule about reading applies to a folder only if it names the folder (`deny read
    internal`).
    """
    of_folder = entry.kind == "directory" and search.permission == "read"
    patterns = [each for each in search.written if not of_folder or is_literal(each)]
    if found.rules is None or not any(match(path, pattern) for pattern in patterns):
        return False
    return found.rules.hiding((search.permission,), search.folder, path) is not None


def _is_skipped(entry: FileStat, search: _Search) -> bool:
    """Return whether a folder is not searched for files that presets protect.

    Files in `.git` can only be changed by naming them; other commands are covered by the permission for the folder
    itself.
    """
    name = name_of(entry)
    by_name = name == ".git" and search.permission == "edit" and bool(search.use.only)
    return (name in SKIPPED and not by_name) or _is_below_skipped(entry.real_path, search)


def _is_below_skipped(place: str, search: _Search) -> bool:
    """Return whether a path is in a folder that is not searched. A command that names such a folder searches it
    anyway."""
    below = place.removeprefix(search.top) if search.permission == "read" else place
    return any(name in SKIPPED and name != ".git" for name in below.strip("/").split("/")[:-1])


def _can_match_in(pattern: str, folders: Sequence[str]) -> bool:
    """Return whether a pattern can match something below one of the folders; True if that takes too long to decide."""
    try:
        return len(folders) > MAX_UNSEARCHED or any(path_below(pattern, displayed(folder)) for folder in folders)
    except TooComplex:
        return True


def _may_hold_presets(permission: TreePermission, use: PathUse) -> bool:
    """Return whether the command may touch files that presets protect, judging by the names that it uses."""
    if permission == "list":
        return False
    return use.follow or not use.only or permission == "edit" or not all(map(_is_plain_name, use.only))


def _is_plain_name(glob: str) -> bool:
    """Return whether a glob matches only one file name, which is not the name of a secret. `*.json` may match
    `prod.env.json`."""
    return is_literal(glob) and not any(match(glob, each.rpartition("/")[2]) for each in SECRET_PATTERNS)


# Ignore files and settings of git


async def _with_unignored_files_above(search: _Search, runtime: Runtime, found: TouchedPaths) -> PathUse:
    if search.use.hidden:
        return search.use
    folders = [WORKSPACE_ROOT, *folders_up([paths.normal(f"{search.top}/..")])]
    above = await for_each(entries_of, folders, runtime, found)
    return await _with_unignored_files(search.use, [entry for each in above for entry in each], runtime)


async def _with_unignored_files(use: PathUse, entries: Iterable[FileStat], runtime: Runtime) -> PathUse:
    """Return `use` (how a command uses a path) with `hidden` set if an ignore file re-includes hidden files with `!`.

    Search tools such as ripgrep skip all hidden files except the re-included ones.
    """
    if use.hidden:
        return use
    for entry in entries:
        if name_of(entry) in _IGNORE_FILES and await _contains(_UNIGNORED, entry.path, runtime):
            return replace(use, hidden=True)
    return use


async def _record_git_settings(
    entries: Iterable[FileStat], use: PathUse, runtime: Runtime, found: TouchedPaths
) -> None:
    """Record `.git/config` as read if it contains a password or token. Without one, the file is not treated as a
    secret."""
    if not (use.hidden and use.contents) or (use.only and not any(fnmatchcase("config", each) for each in use.only)):
        return
    for entry in entries:
        if entry.path.endswith("/.git") and entry.kind == "directory":
            place = f"{entry.real_path}/config"
            if await _contains(_CREDENTIALS, place, runtime):
                found.read.setdefault(displayed(place))


async def _contains(wanted: re.Pattern[str], path: str, runtime: Runtime) -> bool:
    """Return whether a file contains a match. A file that is too long to read counts as containing one."""
    try:
        content = await runtime.read(path, limit=MAX_BYTES_READ)
    except (SandboxRefused, LimitReached):
        return False
    return content.size > MAX_BYTES_READ or bool(wanted.search(content.content.decode("utf-8", "replace")))


def folders_up(folders: Sequence[str]) -> list[str]:
    """Return the folders and all folders above them, without the workspace's root."""
    found: dict[str, None] = {}
    for folder in folders:
        place = paths.normal(folder)
        while paths.is_under(place, WORKSPACE_ROOT) and place != WORKSPACE_ROOT:
            found.setdefault(place)
            place = place.rpartition("/")[0]
    return list(found)
