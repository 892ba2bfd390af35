"""Find the protected files that `git apply` or `git am` may change, by the file names in the patch.

If the patch cannot be read before the command runs, it may change any file of the workspace.
"""

import re
from collections.abc import Iterator
from typing import Any, Final

from sandbox.errors import LimitReached, SandboxRefused
from sandbox.ports import Runtime
from tools_app.permission.shell import ShellAnalysis, paths
from tools_app.secret_paths import is_secret, is_steering
from tools_app.spec import PermissionNeed
from tools_app.touched_paths import Tree

MAX_BYTES: Final = 1 << 20  # of a patch; a longer one may contain any names
MAX_STRIPPED: Final = 4
"""Components that may be taken from the beginning of a name, as `-p` says."""
_NAMED: Final = re.compile(r"^(?:\+\+\+|---|rename to|copy to|rename from) \"?([^\t\n\"]+)", re.MULTILINE)
_HEADER: Final = re.compile(r"^diff --git \"?(.+?)\"? \"?(\S+?)\"?$", re.MULTILINE)


async def needs_of_patches(analysis: ShellAnalysis, runtime: Runtime, title: str) -> list[PermissionNeed]:
    """Return the permissions to edit protected files that a shell command needs because it applies patches. If a patch
    cannot be read, this is the permission to edit every file."""
    written = {paths.normal(use.path) for use in analysis.paths if use.mode == "write"}
    found: dict[str, None] = {}
    for each in analysis.patches:
        text = None if paths.normal(each) in written else await _text(each, runtime)
        if text is None:
            anything: dict[str, Any] = {"title": title, "trees": [Tree("edit", ".", presets=True).as_dict()]}
            return [PermissionNeed("edit", ("*",), (), anything)]
        found |= dict.fromkeys(protected_names(text))
    return [PermissionNeed("edit", tuple(found), (), {"title": title})] if found else []


async def _text(path: str, runtime: Runtime) -> str | None:
    try:
        content = (await runtime.read(path, limit=MAX_BYTES)).content
    except (SandboxRefused, LimitReached):
        return None
    return content.decode("utf-8", "replace") if len(content) < MAX_BYTES else None


def protected_names(patch: str) -> Iterator[str]:
    """Yield each path in a patch that presets protect, as written or without some of its leading folders, which `patch
    -p` can strip."""
    names = [*_NAMED.findall(patch), *(name for each in _HEADER.findall(patch) for name in each)]
    for name in dict.fromkeys(names):
        parts = name.strip().split("/")
        for start in range(min(len(parts), MAX_STRIPPED)):
            path = "/".join(parts[start:])
            if is_secret(path) or is_steering(path):
                yield path
