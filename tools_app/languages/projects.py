"""To which project a file belongs: the nearest folder above it with a file that marks one."""

import asyncio
from collections.abc import Sequence

from sandbox.ports import WORKSPACE_ROOT, FileStat, Runtime
from tools_app.arguments import Place


def folders_above(place: Place) -> list[str]:
    """From the file's own folder up to the workspace, both included; of a file outside, only its own."""
    folder = place.real.rpartition("/")[0] or "/"
    if not place.inside:
        return [folder]
    names = folder.removeprefix(WORKSPACE_ROOT).strip("/").split("/")
    depths = range(len(names) if names[0] else 0, -1, -1)
    return ["/".join([WORKSPACE_ROOT, *names[:depth]]) for depth in depths]


async def find_above(place: Place, names: Sequence[str], runtime: Runtime) -> list[FileStat]:
    """The files of these names above a place, nearest first, in the order of the names."""
    if not names:
        return []
    paths = [f"{folder}/{name}" for folder in folders_above(place) for name in names]
    stats = await asyncio.gather(*(runtime.stat(path) for path in paths))
    return [stat for stat in stats if stat.exists and stat.kind == "file"]


async def project_folder(place: Place, marks: Sequence[str], runtime: Runtime) -> str:
    """The workspace's root where nothing marks one."""
    found = await find_above(place, marks, runtime)
    if found:
        return found[0].path.rpartition("/")[0]
    return WORKSPACE_ROOT if place.inside else folders_above(place)[0]
