"""Find the configuration documents, commands and instruction files of a workspace. Called by `project_files` when one
of these files has changed."""

import posixpath
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from sandbox.errors import LimitReached, SandboxRefused
from sandbox.ports import WORKSPACE_ROOT, FileReader
from sessions_app.configuration import commands
from sessions_app.configuration.keys import is_address
from sessions_app.configuration.reading import BadDocument, dump, parse
from sessions_app.workers.sandbox.markdown_files import FILE_LIMIT, MarkdownSearch
from sessions_app.workers.sandbox.project_agents import MayRead
from tools_app.text import clean, is_clean

ROOT_FILES: Final = ("AGENTS.md", "CLAUDE.md", "CONTEXT.md")  # the first that exists is used
INSTRUCTION_LIMIT: Final = 32_768  # bytes of one instruction file
MAX_INSTRUCTIONS: Final = 20  # files that patterns name
MAX_PATTERNS: Final = 50
MAX_SKILL_FOLDERS: Final = 20
TOTAL_INSTRUCTIONS: Final = 131_072  # bytes of all of them
DOCUMENTS_LIMIT: Final = 262_144  # characters of all documents: they are loaded with the workspace for every step
_SPECIAL: Final = frozenset("*?[{")
_TOO_LARGE: Final = f"It is a link, it is larger than {FILE_LIMIT:,} bytes, or all commands together are too large."

Document = dict[str, str]
"""A configuration document: {path, text, problem}. `text` is the document as JSON, "" if it cannot be used. `in_folder`
is the folder in which it was found, if that is not the root."""


@dataclass(frozen=True, slots=True)
class WantedFiles:
    """Additional files that configuration documents name: patterns of instruction files, and folders with skills.
    `trusted` is the subset of `instructions` that documents of the site, the team or the project name."""

    instructions: Sequence[str] = ()
    trusted: frozenset[str] = frozenset()
    skill_folders: tuple[str, ...] = ()


@dataclass(slots=True)
class InstructionSearch:
    """A search for instruction files, with the files found so far. `patterns` has the result of each pattern: {pattern,
    paths, problem}."""

    files: MarkdownSearch
    may_read: MayRead
    found: list[dict[str, str]] = field(default_factory=list)
    patterns: list[dict[str, Any]] = field(default_factory=list)


def plain_folders(names: Iterable[str]) -> tuple[str, ...]:
    """Return the names that are valid paths of folders in the workspace, at most `MAX_SKILL_FOLDERS`."""
    plain = [posixpath.normpath(name) for name in names if is_clean(name)]
    return tuple(dict.fromkeys(name for name in plain if not name.startswith(("/", "..", "~"))))[:MAX_SKILL_FOLDERS]


def read_documents(contents: Mapping[str, bytes | str], problems: Mapping[str, str]) -> list[Document]:
    """Return the configuration files as documents. `contents` maps each path to the file's content, or to the reason
    why it was not read; `problems` maps paths to problems of files that are used nevertheless."""
    found = [_document(path, content) for path, content in contents.items()]
    return [{**each, "problem": each["problem"] or clean(problems.get(each["path"], ""))} for each in found]


def _document(path: str, content: bytes | str) -> Document:
    if isinstance(content, str):
        return {"path": path, "text": "", "problem": content}
    try:
        return {"path": path, "text": dump(parse(content.decode("utf-8-sig"))), "problem": ""}
    except UnicodeDecodeError:
        return {"path": path, "text": "", "problem": "It is not UTF-8 text."}
    except BadDocument as error:
        return {"path": path, "text": "", "problem": clean(str(error)[:300])}


async def find_commands(search: MarkdownSearch, bases: Iterable[str]) -> list[Document]:
    """Return the commands that Markdown files of the workspace define, each as a configuration document. `bases` are
    the existing configuration folders, such as `.opencode`."""
    found: list[Document] = []
    there = set(bases)
    for folder in (each for each in commands.FOLDERS if each.partition("/")[0] in there):
        for path in await search.paths_below(folder):
            if len(found) >= commands.MAX_COMMANDS:
                problem = f"There are more than {commands.MAX_COMMANDS} files with commands."
                return [*found, {"path": path, "text": "", "problem": problem}]
            found.append(_command(folder, path, await search.text(path)))
    return found


def _command(folder: str, path: str, text: str | None) -> Document:
    name = commands.name_of_file(folder, path)
    problem = _TOO_LARGE if text is None else commands.name_problem(name)
    if problem or text is None:
        return {"path": path, "text": "", "problem": problem}
    try:
        return {"path": path, "text": dump({"command": {name: commands.read_markdown(text)}}), "problem": ""}
    except commands.BadCommand as error:
        return {"path": path, "text": "", "problem": clean(str(error)[:300])}


def in_order(files: Sequence[Document], found: Sequence[Document]) -> list[Document]:
    """Return configuration documents from the weakest to the strongest: files of the root, then for each folder its
    configuration files followed by its commands."""
    bases = ("", ".claude", ".opencode", ".agentsite")
    return [each for base in bases for group in (files, found) for each in group if _base_of(each["path"]) == base]


def bounded_documents(documents: Sequence[Document]) -> list[Document]:
    """Return the documents within a common limit: documents beyond `DOCUMENTS_LIMIT` characters lose their text, and
    get a problem that says so."""
    room, kept = DOCUMENTS_LIMIT, []
    for each in documents:
        room -= len(each["text"])
        problem = f"All configuration files together have more than {DOCUMENTS_LIMIT:,} characters."
        kept.append(each if room >= 0 else {**each, "text": "", "problem": problem})
    return kept


def _base_of(path: str) -> str:
    return path.partition("/")[0] if "/" in path else ""


async def find_instructions(runtime: FileReader, patterns: Sequence[str], may_read: MayRead) -> InstructionSearch:
    """Read the instruction file of the workspace's root, and the files that match the patterns."""
    search = InstructionSearch(MarkdownSearch(runtime, room=TOTAL_INSTRUCTIONS), may_read)
    for name in ROOT_FILES:
        if (text := await search.files.text(name, limit=INSTRUCTION_LIMIT)) is not None:
            search.found.append({"path": name, "text": text.replace("\0", "")})
            break
    for pattern in patterns[:MAX_PATTERNS]:
        if not is_address(pattern):
            await _add_pattern(search, pattern)
    return search


async def _add_pattern(search: InstructionSearch, pattern: str) -> None:
    plain = posixpath.normpath(pattern)
    problem = ""
    if plain.startswith(("/", "..", "~")) or not is_clean(plain):
        paths, problem = [], "Only files of the workspace can be instructions."
    else:
        paths = await _matching(search.files, plain)
    used = []
    for path in paths:
        if any(each["path"] == path for each in search.found):
            used.append(path)
        elif len(search.found) > MAX_INSTRUCTIONS:
            problem = f"Only {MAX_INSTRUCTIONS} files are read."
        elif not await search.may_read(path):
            problem = f"The rules do not allow agents to read {path} without asking."
        elif (text := await search.files.text(path, limit=INSTRUCTION_LIMIT)) is None:
            problem = f"{path} does not exist, is a link, or is too large."
        else:
            search.found.append({"path": path, "text": text.replace("\0", "")})
            used.append(path)
    problem = problem or ("" if used else "No file matches.")
    search.patterns.append({"pattern": pattern[:300], "paths": used, "problem": clean(problem)})


async def _matching(files: MarkdownSearch, pattern: str) -> list[str]:
    """Return the files that a pattern matches, sorted. The folder before the pattern's first wildcard is watched for
    new files."""
    if not _SPECIAL & set(pattern):
        return [pattern]
    steps = pattern.split("/")
    fixed = next(place for place, step in enumerate(steps) if _SPECIAL & set(step))
    folder = "/".join(steps[:fixed]) or "."
    (stat,) = await files.runtime.stats([folder])
    files.seen[folder] = stat
    if not stat.exists:
        return []
    try:
        found = await files.runtime.glob(pattern, limit=MAX_INSTRUCTIONS + 1)
    except (SandboxRefused, LimitReached):
        return []
    return sorted(_relative(str(path)) for path in found.paths)


def _relative(path: str) -> str:
    return path.removeprefix(f"{WORKSPACE_ROOT}/")
