"""Addresses in `skills.urls` of a configuration document, and the index that OpenCode expects at each. Pure.

`index.json` at the address lists skills: {"skills": [{"name": ..., "files": ["SKILL.md", ...]}]}. The files of a skill
are in a folder with its name beside the index.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final
from urllib.parse import quote

from sessions_app.configuration.merging import merge
from sessions_app.configuration.reading import BadDocument, Setting
from sessions_app.configuration.skill_packages import (
    BadPackage,
    PackagedFile,
    SkillPackageContent,
    describe,
    plain_path,
)
from tools_app.skills import SKILL_FILE, is_skill_name
from tools_app.text import clean

MAX_ADDRESSES: Final = 5  # of one document
MAX_SKILLS: Final = 20  # of one address
MAX_FILES: Final = 40  # of all skills of one address, because each is a request of its own
INDEX: Final = "index.json"


@dataclass(frozen=True, slots=True)
class IndexedSkill:
    """A skill of an index. `files` are the paths of its files in its folder, including SKILL.md."""

    name: str
    files: tuple[str, ...]


def addresses_of(settings: Sequence[Setting]) -> list[str]:
    """Return the addresses in the setting `skills.urls` of a document, without duplicates."""
    found = merge([list(settings)]).value("skills", "urls") or ()
    return list(dict.fromkeys(str(each) for each in found))


def index_address(address: str) -> str:
    return f"{address.rstrip('/')}/{INDEX}"


def file_address(address: str, skill: str, path: str) -> str:
    return f"{address.rstrip('/')}/{quote(skill)}/{quote(path)}"


def read_index(content: bytes) -> list[IndexedSkill]:
    """Return the skills of an index. Raises BadDocument with a sentence."""
    try:
        listed = json.loads(content)["skills"]
        skills = [IndexedSkill(str(each["name"]), tuple(map(str, each["files"]))) for each in listed]
    except (ValueError, KeyError, TypeError, RecursionError):
        raise BadDocument('It is not an index of skills: {"skills": [{"name": ..., "files": [...]}]}.') from None
    if len(skills) > MAX_SKILLS or sum(len(each.files) for each in skills) > MAX_FILES:
        raise BadDocument(f"It lists more than {MAX_SKILLS} skills or {MAX_FILES} files.")
    for skill in skills:
        _check(skill)
    if len({skill.name for skill in skills}) != len(skills):
        raise BadDocument("It lists two skills with the same name.")
    return skills


def fetched_skill(skill: IndexedSkill, contents: Mapping[str, bytes]) -> SkillPackageContent:
    """Return a skill of an index with the contents of its files. Raises BadPackage."""
    files = {path: PackagedFile(content, content.startswith(b"#!")) for path, content in contents.items()}
    found = describe(skill.name, files)
    if found.name != skill.name:
        raise BadPackage(f"Its {SKILL_FILE} names another skill: '{found.name}'.")
    return found


def _check(skill: IndexedSkill) -> None:
    name = clean(skill.name)[:64]
    if not is_skill_name(skill.name):
        raise BadDocument(f"'{name}' cannot be the name of a skill.")
    if SKILL_FILE not in skill.files or len(set(skill.files)) != len(skill.files):
        raise BadDocument(f"The skill '{name}' lists no {SKILL_FILE}, or a file twice.")
    try:
        for path in skill.files:
            plain_path(path)
    except BadPackage as error:
        raise BadDocument(f"The skill '{name}': {error}") from None
