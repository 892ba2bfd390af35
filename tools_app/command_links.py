"""Find links in folders that a command may follow although no table says so, for the rules that people wrote."""

from collections.abc import Iterable, Sequence
from typing import Final

from sandbox.ports import WORKSPACE_ROOT, Runtime
from tools_app.command_named import AT_MOST_ASKED, matching, needs_of_words
from tools_app.command_trees import MAX_DEPTH, MAX_FOLDERS, SKIPPED, is_above_workspace
from tools_app.permission.shell import paths
from tools_app.spec import PathRules, PermissionNeed
from tools_app.touched_paths import TouchedPaths, entries_of, for_each, is_inside, name_of, stat_of

_PERMISSIONS: Final = ("external_directory", "read", "edit")


async def needs_of_links(
    folders: Sequence[str], runtime: Runtime, rules: PathRules | None, title: str
) -> list[PermissionNeed]:
    """Return the permissions needed for what links below `folders` lead to. Only rules that people wrote apply, and a
    person is asked at most, because it is not known whether the command follows the links."""
    if rules is None or not any(_of_people(rules, each, top) for each in _PERMISSIONS for top in (".", "/")):
        return []
    found = await _targets(await matching(folders, runtime), runtime)
    needs = await needs_of_words(filter(is_inside, found), runtime, rules, title)
    outside = [each for each in found if not is_inside(each)]
    for permission in _PERMISSIONS:
        ruled = (each for each in outside if _of_people(rules, permission, each))
        if patterns := tuple(dict.fromkeys(paths.outside_pattern(each, directory=True) for each in ruled)):
            needs.append(PermissionNeed(permission, patterns, (), {"title": title, AT_MOST_ASKED: True}))
    return needs


async def _targets(folders: Iterable[str], runtime: Runtime) -> list[str]:
    """Return the real paths to which the links below the folders lead, and the workspace's root if one leads to a
    folder above it. At most `MAX_FOLDERS` folders are searched."""
    found = TouchedPaths()
    tops = [stat for each in folders if (stat := await stat_of(each, runtime)) is not None]
    waiting = [str(stat.real_path) for stat in tops if stat.inside and stat.kind == "directory"]
    seen: set[str] = set()
    targets: dict[str, None] = {}
    for _ in range(MAX_DEPTH):
        waiting = [each for each in dict.fromkeys(waiting) if each not in seen][: MAX_FOLDERS - len(seen)]
        seen.update(waiting)
        listed = await for_each(entries_of, waiting, runtime, found)
        entries = [each for its in listed for each in its if name_of(each) not in SKIPPED]
        links = [each for each in entries if each.kind == "symlink"]
        targets |= dict.fromkeys(each.real_path for each in links)
        targets |= {WORKSPACE_ROOT: None} if any(map(is_above_workspace, links)) else {}
        waiting = [each.real_path for each in entries if each.inside and each.kind in {"directory", "symlink"}]
    return list(targets)


def _of_people(rules: PathRules, permission: str, folder: str) -> bool:
    return any(not each.is_preset for each in rules.below(permission, folder, judged=False))
