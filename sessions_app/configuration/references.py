"""References in the strings of configuration files: `{env:NAME}` stands for a variable, `{file:path}` for the text of a
file. Pure.

References are replaced in parsed values, so a variable or a file cannot add keys to a document. A refused reference
stays as it is written, and is reported.
"""

import posixpath
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, Literal, NamedTuple

from sessions_app.configuration.keys import Path, is_secret
from sessions_app.configuration.names import PLURALS

MAX_REFERENCES: Final = 50  # different ones in one document
MAX_NAMED: Final = 5  # refused ones in one sentence
_REFERENCE: Final = re.compile(r"\{(env|file):([^{}\r\n]{1,300})\}")
_OWN_WAYS: Final = frozenset({"mcp", "provider"})
"""Keys whose values are not read from documents, or whose references are replaced when a server is started."""
_PROMPTS: Final = frozenset({"prompt", "system"})


class Reference(NamedTuple):
    kind: Literal["env", "file"]
    name: str

    def __str__(self) -> str:
        return f"{{{self.kind}:{self.name}}}"


def references_in(values: Mapping[str, Any]) -> list[Reference]:
    """Return the references in a document, in order and without duplicates."""
    found: dict[Reference, Any] = {}
    for path, text in _strings(values, ()):
        found |= dict.fromkeys(_found_in(path, text))
    return list(found)


def with_references(values: Mapping[str, Any], texts: Mapping[Reference, str]) -> dict[str, Any]:
    """Return the values of a document, with each reference replaced by its text. References without a text are not
    replaced."""

    def filled(path: Path, value: Any) -> Any:
        if isinstance(value, str):
            known = {reference: texts[reference] for reference in _found_in(path, value) if reference in texts}
            return _REFERENCE.sub(_replacing(known), value) if known else value
        if isinstance(value, dict):
            return {name: filled((*path, name), each) for name, each in value.items()}
        return [filled(path, each) for each in value] if isinstance(value, list) else value

    return {name: filled((name,), value) for name, value in values.items()}


def _replacing(texts: Mapping[Reference, str]) -> Callable[[re.Match[str]], str]:
    return lambda found: texts.get(_reference(found), found[0])


def _reference(found: re.Match[str]) -> Reference:
    kind: Literal["env", "file"] = "env" if found[1] == "env" else "file"
    return Reference(kind, found[2].strip())


def _found_in(path: Path, text: str) -> list[Reference]:
    """Return the references in the string at `path`. Files that prompts of agents refer to are left out, because they
    are read with the agents."""
    key = PLURALS.get(path[0], path[0])
    if key in _OWN_WAYS or is_secret((key, *path[1:])):
        return []
    found = [_reference(each) for each in _REFERENCE.finditer(text)]
    is_prompt = key in ("agent", "mode") and len(path) == 3 and path[2] in _PROMPTS
    return [each for each in found if each.kind == "env" or not is_prompt]


def _strings(value: Any, path: Path) -> Iterator[tuple[Path, str]]:
    if isinstance(value, str):
        yield path, value
    elif isinstance(value, dict):
        for name, each in value.items():
            yield from _strings(each, (*path, name))
    elif isinstance(value, list):
        for each in value:
            yield from _strings(each, path)


def path_of(document: str, reference: Reference) -> str:
    """Return the path of the file that a reference names, relative to the workspace; "" if the file is outside. In the
    reference, the path is relative to the document's folder, as in OpenCode."""
    if reference.name.startswith(("/", "~")):
        return ""
    path = posixpath.normpath(posixpath.join(posixpath.dirname(document), reference.name))
    return "" if path in (".", "..") or path.startswith("../") else path


def refusals_in_words(refused: Mapping[Reference, str]) -> str:
    """Return sentences about the refused references, at most a few; "" if there are none."""
    named = [f"`{reference}` was not replaced: {why}" for reference, why in list(refused.items())[:MAX_NAMED]]
    more = len(refused) - len(named)
    return " ".join([*named, *([f"{more} others were not replaced either."] if more else [])])
