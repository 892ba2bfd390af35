"""Find the skills of a workspace: folders with a SKILL.md, which has a description and instructions for a kind of task.

Skills are in `skill/` or `skills/` below `.agentsite`, `.opencode` and `.claude`, at most four folders deep. If two
have the same name, the first one in that order is used. Symbolic links are not followed, because they could lead to
files that need a permission.
"""

import asyncio
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from sandbox.errors import LimitReached, SandboxRefused
from sandbox.ports import WORKSPACE_ROOT, FileReader, FileStat, RealPath
from tools_app.front_matter import BadFrontMatter, read_front_matter
from tools_app.text import clean

BASES: Final = (".agentsite", ".opencode", ".claude")
FOLDERS: Final = tuple(f"{base}/{name}" for base in BASES for name in ("skill", "skills"))
SKILL_FILE: Final = "SKILL.md"
MAX_DEPTH: Final = 4  # folders below one of FOLDERS
MAX_FOLDERS: Final = 200  # that are searched, below each of FOLDERS
MAX_ENTRIES: Final = 500  # of one folder
MAX_SKILLS: Final = 100
MAX_FILE_BYTES: Final = 262_144  # of a SKILL.md
MAX_DESCRIPTION_CHARACTERS: Final = 1024

_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")


@dataclass(frozen=True, slots=True)
class Skill:
    """A skill as described by its SKILL.md, including skills that cannot be loaded (see `problem`)."""

    name: str
    description: str
    folder: str
    """Relative to the workspace's root; absolute for an uploaded skill."""
    problem: str = ""
    """Why the skill cannot be loaded; empty if it can."""
    servers: Mapping[str, Any] = field(default_factory=dict)
    """MCP servers that it brings, as its file declares them."""
    package: str = ""
    """The id of the version of an uploaded skill; "" for one of the workspace."""

    @property
    def path(self) -> str:
        """The path of the skill's SKILL.md, relative or absolute as `folder` is."""
        return f"{self.folder}/{SKILL_FILE}"

    def as_dict(self) -> dict[str, str]:
        return {"name": self.name, "description": self.description, "folder": self.folder, "problem": self.problem}


async def find_skills(runtime: FileReader, further: Sequence[str] = ()) -> tuple[list[Skill], list[FileStat]]:
    """Return all skills, usable or not, and the folders and files on which the result depends. `further` are folders
    beside `FOLDERS`.

    If none of those folders and files changes, the skills do not change either.
    """
    seen: list[FileStat] = []
    found: list[Skill] = []
    for root in await _folders(runtime, (*FOLDERS, *further)):
        seen.append(root)
        for file in await _files_below(runtime, root, seen):
            if len(found) < MAX_SKILLS:
                found.append(await _read(runtime, file))
    return list(_one_of_each_name(found)), seen


async def _folders(runtime: FileReader, names: Sequence[str]) -> list[FileStat]:
    stats = await asyncio.gather(*(runtime.stat(name) for name in names))
    return [
        stat for name, stat in zip(names, stats, strict=True) if _is_not_link(stat, name) and stat.kind == "directory"
    ]


def _is_not_link(stat: FileStat, name: str) -> bool:
    """Return whether the path exists in the workspace without a symbolic link in it."""
    return stat.exists and stat.real_path == f"{WORKSPACE_ROOT}/{name}"


async def _files_below(runtime: FileReader, root: FileStat, seen: list[FileStat]) -> list[FileStat]:
    """Return each SKILL.md below `root`, breadth first, without searching below a skill's own folder.

    The folders and files on which the result depends are added to `seen`.
    """
    files: list[FileStat] = []
    level, visited = [str(root.real_path)], 0
    for _ in range(MAX_DEPTH + 1):
        visited += len(level)
        following: list[str] = []
        for folder in level:
            entries = await _entries(runtime, folder)
            file = next((each for each in entries if each.path.rpartition("/")[2] == SKILL_FILE), None)
            if file is not None:
                files.append(file)
                seen += [file] if file.kind == "file" else []  # a changed link shows in the folder's timestamp
                continue
            below = [each for each in entries if each.kind == "directory"]
            following += [f"{folder}/{each.path.rstrip('/').rpartition('/')[2]}" for each in below]
            seen += below
        level = following[: MAX_FOLDERS - visited]
    return files


async def _entries(runtime: FileReader, folder: str) -> Sequence[FileStat]:
    try:
        return await runtime.list(RealPath(folder), limit=MAX_ENTRIES)
    except (SandboxRefused, LimitReached):
        return ()


async def _read(runtime: FileReader, file: FileStat) -> Skill:
    folder = file.real_path.removeprefix(f"{WORKSPACE_ROOT}/").rpartition("/")[0]
    name = folder.rpartition("/")[2]
    if file.kind != "file":
        return _broken(name, folder, "Its SKILL.md is a link or not a file.")
    if file.size > MAX_FILE_BYTES:
        return _broken(name, folder, f"Its SKILL.md has more than {MAX_FILE_BYTES:,} bytes.")
    try:
        content = await runtime.read(file.real_path, limit=MAX_FILE_BYTES)
    except (SandboxRefused, LimitReached) as error:
        return _broken(name, folder, error.message)
    return parse_skill(folder, content.content.decode("utf-8", "replace"))


def parse_skill(folder: str, text: str) -> Skill:
    """Return the skill that a SKILL.md with this text describes. Pure."""
    fallback = folder.rpartition("/")[2]
    try:
        fields, _ = read_front_matter(text)
    except BadFrontMatter as error:
        return _broken(fallback, folder, f"The fields at its beginning cannot be read: {error}.")
    name, description = fields.get("name", fallback), fields.get("description")
    if not isinstance(name, str) or _NAME.fullmatch(name) is None:
        return _broken(fallback, folder, "Its name may only have letters, digits, '.', '_' and '-', at most 64.")
    if not isinstance(description, str) or not description.strip():
        return _broken(name, folder, "It has no description.")
    servers = fields.get("mcp")
    about = clean(" ".join(description.split()))[:MAX_DESCRIPTION_CHARACTERS]
    return Skill(name, about, clean(folder), servers=servers if isinstance(servers, dict) else {})


def is_skill_name(name: str) -> bool:
    return _NAME.fullmatch(name) is not None


def _broken(name: str, folder: str, problem: str) -> Skill:
    return Skill(clean(name), "", clean(folder), clean(problem))


def _one_of_each_name(skills: Iterable[Skill]) -> Iterable[Skill]:
    """Yield one skill for each name; a usable skill is preferred to an unusable one."""
    found = list(skills)
    taken: set[str] = set()
    for skill in sorted(found, key=lambda each: bool(each.problem)):
        if skill.name not in taken:
            taken.add(skill.name)
            yield skill
