"""Parse the YAML front matter of Markdown files: fields between two lines of `---`. Pure.

The files come from repositories and are not trusted: YAML aliases, by which a small text expands to a huge value, are
rejected, and the size is limited.
"""

import re
from typing import Any, Final

import yaml

MAX_CHARACTERS: Final = 16_384  # of the fields, by default
_BLOCK: Final = re.compile(r"\A---[ \t]*\r?\n(.*?)(?:\r?\n)?^---[ \t]*\r?(?:\n|\Z)", re.DOTALL | re.MULTILINE)
_UNQUOTED: Final = re.compile(
    r"^([A-Za-z_][\w-]*):[ \t]+(?![\"'|>\[{&*!])(?=[@`%]|[^\r\n]*:(?:\s|\Z))([^\r\n]*)", re.MULTILINE
)


class BadFrontMatter(ValueError):
    """The fields cannot be parsed; the message says why."""


class _PlainLoader(yaml.SafeLoader):
    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        if self.check_event(yaml.events.AliasEvent):
            raise yaml.YAMLError("aliases are not allowed")
        return super().compose_node(parent, index)


def read_front_matter(text: str, *, max_characters: int = MAX_CHARACTERS) -> tuple[dict[str, Any], str]:
    """Return the fields of a text, and the text after them. Without front matter, the fields are empty.

    Raises BadFrontMatter if the fields cannot be parsed or have more than `max_characters` characters.
    """
    text = text.removeprefix("\ufeff")
    found = _BLOCK.match(text)
    if found is None:
        return {}, text
    if len(found[1]) > max_characters:
        raise BadFrontMatter(f"more than {max_characters:,} characters")
    try:
        return _fields(found[1]), text[found.end() :]
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        first = "nested too deeply" if isinstance(error, RecursionError) else str(error).partition("\n")[0]
        raise BadFrontMatter(first[:200] or "not YAML") from error


def _fields(text: str) -> dict[str, Any]:
    """Parse the fields of a front matter, tolerating unquoted values with a colon in them.

    `description: Use it for: this` is not valid YAML, but people write it. Only the values of such lines are quoted and
    read as text; numbers and blocks on other lines keep their types.
    """
    try:
        value = _load(text)
    except yaml.YAMLError:
        value = _load(_UNQUOTED.sub(lambda line: f"{line[1]}: {_quoted(line[2].rstrip())}", text))
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise BadFrontMatter("not a list of names and values")
    return {str(name): item for name, item in value.items()}


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _load(text: str) -> Any:
    """Load YAML. PyYAML raises various exceptions for a value that does not fit its tag; they become YAMLError."""
    try:
        return yaml.load(text, Loader=_PlainLoader)  # noqa: S506 - a SafeLoader without aliases
    except (LookupError, AttributeError, ArithmeticError, TypeError) as error:
        raise yaml.YAMLError("a value does not have the type that its tag names") from error
