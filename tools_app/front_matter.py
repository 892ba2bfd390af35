"""Markdown files that begin with fields between two lines of `---`. Pure.

The files come with repositories, so nothing in them is believed: no anchors or aliases, by which a small text becomes
a huge value, and an end to everything.
"""

import re
from typing import Any, Final

import yaml

LONGEST: Final = 16_384  # characters of the fields, unless the caller says otherwise
_BLOCK: Final = re.compile(r"\A---[ \t]*\r?\n(.*?)(?:\r?\n)?^---[ \t]*\r?(?:\n|\Z)", re.DOTALL | re.MULTILINE)
_UNQUOTED: Final = re.compile(
    r"^([A-Za-z_][\w-]*):[ \t]+(?![\"'|>\[{&*!])(?=[@`%]|[^\r\n]*:(?:\s|\Z))([^\r\n]*)", re.MULTILINE
)


class BadFrontMatter(ValueError):
    """The fields cannot be read; the text says why."""


class _PlainLoader(yaml.SafeLoader):
    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        if self.check_event(yaml.events.AliasEvent):
            raise yaml.YAMLError("aliases are not read")
        return super().compose_node(parent, index)


def read_front_matter(text: str, *, longest: int = LONGEST) -> tuple[dict[str, Any], str]:
    """The fields, and the text after them. Raises BadFrontMatter, also for fields of more than `longest` characters."""
    text = text.removeprefix("\ufeff")
    found = _BLOCK.match(text)
    if found is None:
        return {}, text
    if len(found[1]) > longest:
        raise BadFrontMatter(f"more than {longest:,} characters")
    try:
        return _fields(found[1]), text[found.end() :]
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        first = "nested too deeply" if isinstance(error, RecursionError) else str(error).partition("\n")[0]
        raise BadFrontMatter(first[:200] or "not YAML") from error


def _fields(text: str) -> dict[str, Any]:
    """People write `description: Use it for: this` without quotes, which is no YAML but plain enough. Only lines like
    that one become text, so that numbers and blocks beside it stay what they are."""
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
    """The library has no words for a value that is not of the type which its tag names."""
    try:
        return yaml.load(text, Loader=_PlainLoader)  # noqa: S506 - it is a safe loader, with less in it
    except (LookupError, AttributeError, ArithmeticError, TypeError) as error:
        raise yaml.YAMLError("a value is not of the type that it says it is") from error
