"""Files that control git because the settings of the repository name them, such as another folder for hooks.

The rules decide about them as about the files that they replace: about a file in the folder of `core.hooksPath` as
about a file in `.git/hooks`.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from sandbox.errors import LimitReached, SandboxRefused
from sandbox.ports import HOME, WORKSPACE_ROOT, Runtime
from tools_app.permission.shell import paths
from tools_app.spec import PermissionNeed
from tools_app.touched_paths import displayed

SETTINGS: Final = ".git/config"
HOOKS: Final = ".git/hooks"
MAX_BYTES: Final = 65_536  # of a file of settings
MAX_FILES: Final = 4  # of settings that include each other

_SECTION: Final = re.compile(r"\s*\[\s*([\w.-]+)")
_SETTING: Final = re.compile(r"(?:\s*\[[^]]*\])?\s*(hookspath|fsmonitor|path)\s*=\s*(.*)", re.IGNORECASE)
_STANDS_FOR: Final[Mapping[tuple[str, str], str]] = {
    ("core", "hookspath"): HOOKS, ("core", "fsmonitor"): f"{HOOKS}/fsmonitor", ("include", "path"): SETTINGS,
    ("includeif", "path"): SETTINGS,
}  # fmt: skip


async def with_steering(needs: Sequence[PermissionNeed], runtime: Runtime) -> list[PermissionNeed]:
    """Return the permission needs. If git's settings say that an edited file is used in place of a file of `.git`, such
    as a hook, a need to edit the file of `.git` is added."""
    changed = [each for need in needs if need.permission == "edit" for each in _places(need)]
    if all(each.startswith("/") for each in changed):
        return list(needs)
    named = await _named_by_settings(runtime)
    found = dict.fromkeys(stands for each in changed for stands in _stands_for(each, named))
    new = [each for each in found if each not in changed]
    title = next((need.metadata.get("title", "") for need in needs if need.permission == "edit"), "")
    return [PermissionNeed("edit", tuple(new), (), {"title": title}), *needs] if new else list(needs)


def _places(need: PermissionNeed) -> list[str]:
    trees = need.metadata.get("trees")
    return [tree["folder"] for tree in trees] if trees else list(need.patterns)


def _stands_for(place: str, named: Mapping[str, str]) -> Iterator[str]:
    for path, meaning in named.items():
        if place == path:
            yield meaning
        elif place.startswith(f"{path}/"):
            yield meaning + place.removeprefix(path)


async def _named_by_settings(runtime: Runtime) -> dict[str, str]:
    """Return {path: file in `.git`} for files outside `.git` that the repository's git settings name as replacements,
    such as other folders of hooks. Included settings files are read, too."""
    found: dict[str, str] = {}
    waiting = [f"{WORKSPACE_ROOT}/{SETTINGS}"]
    for place in waiting:
        try:
            content = await runtime.read(place, limit=MAX_BYTES)
        except (SandboxRefused, LimitReached):
            continue
        for stands, value in named_paths(content.content.decode("utf-8", "replace")):
            folder = place.rpartition("/")[0] if stands == SETTINGS else WORKSPACE_ROOT
            path = paths.normal(paths.join(folder, value))
            found.setdefault(displayed(path), stands)
            inside = paths.is_under(path, WORKSPACE_ROOT)
            if stands == SETTINGS and inside and path not in waiting and len(waiting) < MAX_FILES:
                waiting.append(path)
    return {path: stands for path, stands in found.items() if path not in {".", "/"}}


def named_paths(settings: str) -> Iterator[tuple[str, str]]:
    """Yield (file of .git, path) for each git setting that names another file or folder to use instead of a file of
    .git."""
    section = ""
    for line in settings.splitlines():
        if begins := _SECTION.match(line):
            section = begins[1].lower()
        setting = _SETTING.match(line)
        stands = _STANDS_FOR.get((section, setting[1].lower())) if setting else None
        if setting and stands:
            value = re.sub(r"\s[#;].*", "", setting[2]).strip().strip('"')
            yield stands, value.replace("~", HOME, 1) if value.startswith("~/") else value
