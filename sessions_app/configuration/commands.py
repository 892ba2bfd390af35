"""Commands of the prompt box, which are read from Markdown files and configuration documents. Pure."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any, Final

from sessions_app.configuration.document import MAX_TEXT_CHARACTERS
from sessions_app.configuration.merging import Merged
from sessions_app.configuration.reading import Source
from sessions_app.configuration.reasons import reason_of
from tools_app.front_matter import BadFrontMatter, read_front_matter

FOLDERS: Final = (
    ".claude/commands", ".opencode/command", ".opencode/commands", ".agentsite/command", ".agentsite/commands",
)  # fmt: skip
"""Folders with one Markdown file for each command. Later ones override earlier ones."""

MAX_COMMANDS: Final = 200
MAX_NAME_CHARACTERS: Final = 64
_NAME: Final = re.compile(r"[\w][\w.-]*(?:/[\w][\w.-]*)*")
_FIELDS: Final = ("description", "agent", "model", "variant", "subtask")


BUILT_IN: Final = Source("default")


class BadCommand(ValueError):
    """The file does not define a command; the message of the error is a sentence."""


@dataclass(frozen=True, slots=True)
class Command:
    """A command of the prompt box. `agent`, `model` and `variant` (a reasoning effort) are "" if the command does not
    name them. `subtask`: a sub-agent carries it out."""

    name: str
    template: str
    description: str = ""
    agent: str = ""
    model: str = ""
    variant: str = ""
    subtask: bool | None = None
    source: Source = BUILT_IN


def name_of_file(folder: str, path: str) -> str:
    """Return the name of the command that a file defines: `.opencode/command/git/tidy.md` -> `git/tidy`."""
    return PurePosixPath(path).relative_to(folder).with_suffix("").as_posix()


def name_problem(name: str) -> str:
    """Return why a command cannot have this name, or "" if it can."""
    if len(name) > MAX_NAME_CHARACTERS:
        return f"The name of a command has at most {MAX_NAME_CHARACTERS} characters."
    if not _NAME.fullmatch(name):
        return "The name of a command may contain letters, digits, '-', '_', '.' and '/'."
    return ""


def read_markdown(text: str) -> dict[str, Any]:
    """Return the fields of a command's file, as a configuration document would have them. The text below the front
    matter is the template. Raises BadCommand."""
    try:
        fields, body = read_front_matter(text, max_characters=len(text))
    except BadFrontMatter as error:
        raise BadCommand(f"Its front matter was not understood: {reason_of(error)}") from error
    if not body.strip():
        raise BadCommand("It has no text below its front matter.")
    if len(body) > MAX_TEXT_CHARACTERS:
        raise BadCommand(f"Its text has more than {MAX_TEXT_CHARACTERS:,} characters.")
    return {"template": body.strip(), **{name: fields[name] for name in _FIELDS if fields.get(name) is not None}}


def commands_of(merged: Merged) -> dict[str, Command]:
    """Return the commands of a configuration by name, at most `MAX_COMMANDS`."""
    found: dict[str, Command] = {}
    for name, fields in merged.below("command").items():
        if isinstance(fields, Mapping) and isinstance(fields.get("template"), str) and not name_problem(name):
            source = merged.effective["command", name, "template"].setting.source
            found[name] = _command(name, fields, source)
        if len(found) == MAX_COMMANDS:
            break
    return found


def _command(name: str, fields: Mapping[str, Any], source: Source) -> Command:
    subtask = fields.get("subtask")
    return Command(
        name=name,
        template=fields["template"],
        description=" ".join(_text(fields, "description").split()),
        agent=_text(fields, "agent"),
        model=_text(fields, "model"),
        variant=_text(fields, "variant"),
        subtask=subtask if isinstance(subtask, bool) else None,
        source=source,
    )


def _text(fields: Mapping[str, Any], name: str) -> str:
    value = fields.get(name)
    return value if isinstance(value, str) else ""
