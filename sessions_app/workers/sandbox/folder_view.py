"""Read a folder of a workspace as if it was the workspace's root."""

import posixpath
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from sandbox.ports import WORKSPACE_ROOT, FileContent, FileReader, FileStat, Found, RealPath

_ELSEWHERE: Final = "/outside of the folder"


class FolderView:
    """The files of one folder, with paths relative to it or below `WORKSPACE_ROOT`. The real path of a symbolic link
    that leads out of the folder is outside of it too, so readers that refuse links to the outside refuse this one."""

    def __init__(self, runtime: FileReader, folder: str) -> None:
        self._runtime = runtime
        self._folder = folder
        self._root = f"{WORKSPACE_ROOT}/{folder}"

    async def stat(self, path: str) -> FileStat:
        return self._seen_from_here(path, await self._runtime.stat(self._inside(path)))

    async def stats(self, paths: Sequence[str]) -> Sequence[FileStat]:
        found = await self._runtime.stats([self._inside(path) for path in paths])
        return [self._seen_from_here(path, stat) for path, stat in zip(paths, found, strict=True)]

    async def list(self, path: str, *, limit: int = 1000) -> Sequence[FileStat]:
        found = await self._runtime.list(self._inside(path), limit=limit)
        return [self._seen_from_here(posixpath.join(path, posixpath.basename(each.path)), each) for each in found]

    async def read(self, path: str, *, offset: int = 0, limit: int | None = None) -> FileContent:
        return await self._runtime.read(self._inside(path), offset=offset, limit=limit)

    async def glob(self, pattern: str, *, limit: int = 100) -> Found:
        found = await self._runtime.glob(f"{self._folder}/{pattern}", limit=limit)
        return replace(found, paths=tuple(each.removeprefix(f"{self._folder}/") for each in found.paths))

    def _inside(self, path: str) -> str:
        """Convert a path of the folder to its path in the workspace. A `RealPath` remains a `RealPath`, so that
        operations on it follow no link."""
        relative = posixpath.normpath(posixpath.relpath(path, WORKSPACE_ROOT) if path.startswith("/") else path)
        if relative.split("/")[0] == "..":
            return RealPath(_ELSEWHERE + path)
        inside = posixpath.normpath(f"{self._root}/{relative}")
        return RealPath(inside) if isinstance(path, RealPath) else inside

    def original(self, stat: FileStat) -> FileStat:
        """Convert a status from paths of the folder view back to paths of the workspace, as the runtime uses them."""
        real = stat.real_path
        is_here = not real.startswith(_ELSEWHERE)
        there = self._root + real.removeprefix(WORKSPACE_ROOT) if is_here else real.removeprefix(_ELSEWHERE)
        return replace(stat, path=self._inside(stat.path), real_path=RealPath(there))

    def _seen_from_here(self, path: str, stat: FileStat) -> FileStat:
        real = stat.real_path
        is_here = real == self._root or real.startswith(f"{self._root}/")
        here = WORKSPACE_ROOT + real.removeprefix(self._root) if is_here else _ELSEWHERE + real
        return replace(stat, path=path, real_path=RealPath(here))
