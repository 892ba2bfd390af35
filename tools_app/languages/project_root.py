"""Find the project folder of a file: the nearest folder above it that contains a marker file."""

from collections.abc import Iterable, Sequence
from typing import Final

from sandbox.ports import WORKSPACE_ROOT, FileStat, Runtime
from tools_app.arguments import ResolvedPath

MAX_PATHS: Final = 1_000  # examined in one search


def folders_above(target: ResolvedPath) -> list[str]:
    """Return the folders from the file's own folder up to the workspace's root; for a file outside the workspace, only
    its own folder."""
    folder = target.real.rpartition("/")[0] or "/"
    if not target.inside:
        return [folder]
    names = folder.removeprefix(WORKSPACE_ROOT).strip("/").split("/")
    depths = range(len(names) if names[0] else 0, -1, -1)
    return ["/".join([WORKSPACE_ROOT, *names[:depth]]) for depth in depths]


async def find_above(target: ResolvedPath, names: Iterable[str], runtime: Runtime) -> dict[str, list[FileStat]]:
    """Find files with these names in a file's folder and in the folders above it, with one request to the sandbox.

    Returns the files by name, the nearest first.
    """
    wanted = [(name, f"{folder}/{name}") for folder in folders_above(target) for name in dict.fromkeys(names)]
    stats = await runtime.stats([path for _, path in wanted[:MAX_PATHS]]) if wanted else []
    found: dict[str, list[FileStat]] = {}
    for (name, _), stat in zip(wanted, stats, strict=False):
        if stat.exists and stat.kind == "file":
            found.setdefault(name, []).append(stat)
    return found


async def project_folder(target: ResolvedPath, marks: Sequence[str], runtime: Runtime) -> str:
    """Return the nearest folder that contains any of the files `marks`.

    Without any, returns the workspace's root; for a file outside the workspace, the file's own folder.
    """
    found = await find_above(target, marks, runtime)
    folders = [stat.path.rpartition("/")[0] for stats in found.values() for stat in stats]
    if folders:
        return max(folders, key=len)
    return WORKSPACE_ROOT if target.inside else folders_above(target)[0]
