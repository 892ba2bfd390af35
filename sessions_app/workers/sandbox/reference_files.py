"""Replace the references in configuration files: variables of the project and the team, and files of the workspace.
Called by `project_files` if a configuration file has references."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from sandbox.ports import FileReader, FileStat
from sessions_app.configuration.reading import BadDocument, dump, parse
from sessions_app.configuration.references import (
    MAX_REFERENCES,
    Reference,
    path_of,
    references_in,
    refusals_in_words,
    with_references,
)
from sessions_app.workers.sandbox.markdown_files import MarkdownSearch
from sessions_app.workers.sandbox.project_agents import MayRead
from tools_app.policies.project_files import MAX_FILE_BYTES

MARKS: Final = (b"{env:", b"{file:")
FILE_LIMIT: Final = 32_768  # bytes of one file
_SECRET: Final = "It is a secret, and everybody who opens a session can read the configuration."
_NO_VARIABLE: Final = "The project and its team have no variable of this name."
_OUTSIDE: Final = "Only files of the workspace can be included."
_NOT_ALLOWED: Final = "The rules do not allow agents to read the file without asking."
_NOT_READ: Final = f"The file does not exist, is a link, or is larger than {FILE_LIMIT:,} bytes."

ReadVariables = Callable[[], Awaitable[Mapping[str, str | None]]]


def has_references(content: bytes | str) -> bool:
    return isinstance(content, bytes) and any(mark in content for mark in MARKS)


@dataclass(slots=True)
class Replacement:
    """The replacement of references in several configuration files. `problems` has a sentence for each path of a file
    with errors; `seen` is the state of the included files. `variables` maps names to values, and secrets to None."""

    search: MarkdownSearch
    may_read: MayRead
    variables: Mapping[str, str | None]
    problems: dict[str, str] = field(default_factory=dict)

    @property
    def seen(self) -> dict[str, FileStat]:
        return self.search.seen

    async def replaced(self, path: str, content: bytes) -> bytes:
        """Return the content of a configuration file with its references replaced. A file that cannot be parsed is
        returned unchanged."""
        try:
            values = parse(content.decode("utf-8-sig"))
        except (BadDocument, UnicodeDecodeError):
            return content
        texts, refused = await self._texts(path, values)
        made = dump(with_references(values, texts)).encode()
        if len(made) > MAX_FILE_BYTES:
            self.problems[path] = f"Nothing was replaced: it would be larger than {MAX_FILE_BYTES:,} bytes."
            return content
        if refused:
            self.problems[path] = refusals_in_words(refused)
        return made

    async def _texts(self, path: str, values: Mapping[str, Any]) -> tuple[dict[Reference, str], dict[Reference, str]]:
        """Return two dicts by reference: the replacement texts of the references in a file, and, for references that
        cannot be replaced, the reasons."""
        texts: dict[Reference, str] = {}
        refused: dict[Reference, str] = {}
        for number, reference in enumerate(references_in(values)):
            if number >= MAX_REFERENCES:
                refused[reference] = f"Only {MAX_REFERENCES} references are read."
                continue
            text, why = await self._text(path, reference)
            if why:
                refused[reference] = why
            else:
                texts[reference] = text
        return texts, refused

    async def _text(self, document: str, reference: Reference) -> tuple[str, str]:
        if reference.kind == "env":
            if reference.name not in self.variables:
                return "", _NO_VARIABLE
            value = self.variables[reference.name]
            return ("", _SECRET) if value is None else (value, "")
        path = path_of(document, reference)
        if not path:
            return "", _OUTSIDE
        if not await self.may_read(path):
            return "", _NOT_ALLOWED
        text = await self.search.text(path, limit=FILE_LIMIT)
        return ("", _NOT_READ) if text is None else (text.replace("\0", "").strip(), "")


async def replace_references(
    contents: Mapping[str, bytes | str], runtime: FileReader, may_read: MayRead, read_variables: ReadVariables
) -> tuple[dict[str, bytes | str], Replacement]:
    """Return the contents of configuration files with their references replaced, and the `Replacement` with its
    problems and the included files."""
    made = Replacement(MarkdownSearch(runtime), may_read, await read_variables())
    filled = {
        path: await made.replaced(path, content) if isinstance(content, bytes) and has_references(content) else content
        for path, content in contents.items()
    }
    return filled, made
