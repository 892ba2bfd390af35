"""Find and read Markdown files below folders of a workspace, within limits of depth, number and size."""

import posixpath
from dataclasses import dataclass, field
from typing import Final

from sandbox.errors import LimitReached, SandboxRefused
from sandbox.ports import WORKSPACE_ROOT, FileReader, FileStat, RealPath
from tools_app.text import is_clean

MAX_DEPTH: Final = 3  # levels of subfolders
MAX_ENTRIES: Final = 200  # of one folder
MAX_FOLDERS: Final = 50
FILE_LIMIT: Final = 65_536  # bytes of one file
TOTAL_LIMIT: Final = 262_144  # bytes of all of them: they are loaded with the workspace for every step


@dataclass(slots=True)
class MarkdownSearch:
    """A search for Markdown files within limits of size and number. `seen` has the status of each path on which the
    result depends."""

    runtime: FileReader
    room: int = TOTAL_LIMIT
    folders: int = 0
    seen: dict[str, FileStat] = field(default_factory=dict)

    async def paths_below(self, folder: str, *, depth: int = 0, ending: str = ".md") -> list[str]:
        """Return the files with the ending `ending` below a folder, in the order of the listing. Links to folders are
        not followed."""
        if self.folders >= MAX_FOLDERS:
            return []
        (stat,) = await self.runtime.stats([folder])
        if not stat.exists:  # if it is created later, its parent folder changes
            return []
        self.folders += 1
        self.seen[folder] = stat
        if not is_own(stat, folder, "directory"):
            return []
        try:
            children = await self.runtime.list(folder, limit=MAX_ENTRIES)
        except (SandboxRefused, LimitReached):
            return []
        found: list[str] = []
        for child in children:
            name = posixpath.join(folder, posixpath.basename(child.path))
            if child.kind == "directory" and depth < MAX_DEPTH:
                found += await self.paths_below(name, depth=depth + 1, ending=ending)
            elif name.endswith(ending) and is_clean(name):
                found.append(name)
        return found

    async def text(self, path: str, *, limit: int = FILE_LIMIT) -> str | None:
        """Return the file's text, or None if it does not exist, is a link, or has more than `limit` bytes."""
        (stat,) = await self.runtime.stats([path])
        self.seen[path] = stat
        if not is_own(stat, path, "file") or stat.size > min(limit, self.room):
            return None
        try:
            found = await self.runtime.read(RealPath(f"{WORKSPACE_ROOT}/{path}"), limit=limit)
        except (SandboxRefused, LimitReached):
            return None
        self.room -= len(found.content)
        return found.content.decode("utf-8-sig", "replace")


def is_own(stat: FileStat, path: str, kind: str) -> bool:
    """Return whether the path exists as a file or directory (`kind`) without a symbolic link in it. A link could lead
    to a file that agents may not read without asking."""
    return stat.exists and stat.kind == kind and stat.real_path == f"{WORKSPACE_ROOT}/{path}"
