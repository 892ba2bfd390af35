"""Skills of a workspace: folders with a SKILL.md, whose description says what it is good for and whose text says how.

They lie in `skill/` or `skills/` below `.agentsite`, `.opencode` and `.claude`, at most four folders deep. Where two
have one name, the first counts, in that order. Links are not followed: they could lead to what must be asked for first.
"""

import asyncio
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from sandbox.errors import LimitReached, SandboxRefused
from sandbox.ports import WORKSPACE_ROOT, FileStat, RealPath, Runtime
from tools_app.front_matter import BadFrontMatter, read_front_matter
from tools_app.text import clean

BASES: Final = (".agentsite", ".opencode", ".claude")
FOLDERS: Final = tuple(f"{base}/{name}" for base in BASES for name in ("skill", "skills"))
FILE: Final = "SKILL.md"
DEEPEST: Final = 4  # folders below one of FOLDERS
MOST_FOLDERS: Final = 200  # that are looked into, below each of FOLDERS
MOST_ENTRIES: Final = 500  # of one folder
MOST_SKILLS: Final = 100
LARGEST: Final = 262_144  # bytes of a SKILL.md
LONGEST_DESCRIPTION: Final = 1024  # characters

_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")


@dataclass(frozen=True, slots=True)
class Skill:
    """`folder` is relative to the workspace. `problem` says why it cannot be loaded, and is empty when it can."""

    name: str
    description: str
    folder: str
    problem: str = ""

    @property
    def path(self) -> str:
        return f"{self.folder}/{FILE}"

    def as_dict(self) -> dict[str, str]:
        return {"name": self.name, "description": self.description, "folder": self.folder, "problem": self.problem}

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> "Skill":
        return cls(str(data["name"]), str(data["description"]), str(data["folder"]), str(data["problem"]))


async def find_skills(runtime: Runtime) -> tuple[list[Skill], list[FileStat]]:
    """The skills there are, usable or not, and the folders and files whose change would change that."""
    seen: list[FileStat] = []
    found: list[Skill] = []
    for root in await _folders(runtime, FOLDERS):
        seen.append(root)
        for file in await _files_below(runtime, root, seen):
            if len(found) < MOST_SKILLS:
                found.append(await _read(runtime, file))
    return list(_one_of_each_name(found)), seen


async def _folders(runtime: Runtime, names: Sequence[str]) -> list[FileStat]:
    stats = await asyncio.gather(*(runtime.stat(name) for name in names))
    return [
        stat for name, stat in zip(names, stats, strict=True) if _is_itself(stat, name) and stat.kind == "directory"
    ]


def _is_itself(stat: FileStat, name: str) -> bool:
    """It is there, and not reached through a link."""
    return stat.exists and stat.real_path == f"{WORKSPACE_ROOT}/{name}"


async def _files_below(runtime: Runtime, root: FileStat, seen: list[FileStat]) -> list[FileStat]:
    """Each SKILL.md, breadth first; what lies below a skill's own folder is the skill's."""
    files: list[FileStat] = []
    level, visited = [str(root.real_path)], 0
    for _ in range(DEEPEST + 1):
        visited += len(level)
        following: list[str] = []
        for folder in level:
            entries = await _entries(runtime, folder)
            file = next((each for each in entries if each.path.rpartition("/")[2] == FILE), None)
            if file is not None:
                files.append(file)
                seen += [file] if file.kind == "file" else []  # the folder tells when a link changes
                continue
            below = [each for each in entries if each.kind == "directory"]
            following += [f"{folder}/{each.path.rstrip('/').rpartition('/')[2]}" for each in below]
            seen += below
        level = following[: MOST_FOLDERS - visited]
    return files


async def _entries(runtime: Runtime, folder: str) -> Sequence[FileStat]:
    try:
        return await runtime.list(RealPath(folder), limit=MOST_ENTRIES)
    except (SandboxRefused, LimitReached):
        return ()


async def _read(runtime: Runtime, file: FileStat) -> Skill:
    folder = file.real_path.removeprefix(f"{WORKSPACE_ROOT}/").rpartition("/")[0]
    name = folder.rpartition("/")[2]
    if file.kind != "file":
        return _broken(name, folder, "Its SKILL.md is a link or no file.")
    if file.size > LARGEST:
        return _broken(name, folder, f"Its SKILL.md has more than {LARGEST:,} bytes.")
    try:
        content = await runtime.read(file.real_path, limit=LARGEST)
    except (SandboxRefused, LimitReached) as error:
        return _broken(name, folder, error.message)
    return described(folder, content.content.decode("utf-8", "replace"))


def described(folder: str, text: str) -> Skill:
    """What the beginning of a SKILL.md says of the skill in this folder. Pure."""
    fallback = folder.rpartition("/")[2]
    try:
        fields, _ = read_front_matter(text)
    except BadFrontMatter as error:
        return _broken(fallback, folder, f"The fields at its beginning cannot be read: {error}.")
    name, description = fields.get("name", fallback), fields.get("description")
    if not isinstance(name, str) or _NAME.fullmatch(name) is None:
        return _broken(fallback, folder, "Its name is not made of letters, digits, '.', '_' and '-'.")
    if not isinstance(description, str) or not description.strip():
        return _broken(name, folder, "It has no description.")
    return Skill(name, clean(" ".join(description.split()))[:LONGEST_DESCRIPTION], clean(folder))


def _broken(name: str, folder: str, problem: str) -> Skill:
    return Skill(clean(name), "", clean(folder), clean(problem))


def _one_of_each_name(skills: Iterable[Skill]) -> Iterable[Skill]:
    """One that can be used is never hidden by one that cannot."""
    found = list(skills)
    taken: set[str] = set()
    for skill in sorted(found, key=lambda each: bool(each.problem)):
        if skill.name not in taken:
            taken.add(skill.name)
            yield skill
