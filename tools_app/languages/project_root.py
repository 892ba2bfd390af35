"""To which project a file belongs: the nearest folder above it with a file that marks one."""

from collections.abc import Iterable, Sequence
from typing import Final

from sandbox.ports import WORKSPACE_ROOT, FileStat, Runtime
from tools_app.arguments import Place

MOST_LOOKED_FOR: Final = 1_000


def folders_above(place: Place) -> list[str]:
    """From the file's own folder up to the workspace, both included; of a file outside, only its own."""
    folder = place.real.rpartition("/")[0] or "/"
    if not place.inside:
        return [folder]
    names = folder.removeprefix(WORKSPACE_ROOT).strip("/").split("/")
    depths = range(len(names) if names[0] else 0, -1, -1)
    return ["/".join([WORKSPACE_ROOT, *names[:depth]]) for depth in depths]


async def find_above(place: Place, names: Iterable[str], runtime: Runtime) -> dict[str, list[FileStat]]:
    """By each of these names, the files above a place that have it, nearest first. All are looked for at once."""
    wanted = [(name, f"{folder}/{name}") for folder in folders_above(place) for name in dict.fromkeys(names)]
    stats = await runtime.stats([path for _, path in wanted[:MOST_LOOKED_FOR]]) if wanted else []
    found: dict[str, list[FileStat]] = {}
    for (name, _), stat in zip(wanted, stats, strict=False):
        if stat.exists and stat.kind == "file":
            found.setdefault(name, []).append(stat)
    return found


async def project_folder(place: Place, marks: Sequence[str], runtime: Runtime) -> str:
    """The nearest with any of these files; the workspace's root where there is none."""
    found = await find_above(place, marks, runtime)
    folders = [stat.path.rpartition("/")[0] for stats in found.values() for stat in stats]
    if folders:
        return max(folders, key=len)
    return WORKSPACE_ROOT if place.inside else folders_above(place)[0]
