"""Rules of Cursor: instructions in `.cursor/rules/*.mdc`, which apply always, to files that match patterns, or when an
agent needs them. Pure.

The files come from repositories and are not trusted: reading and matching take bounded time.
"""

import itertools
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any, Final

from tools_app.front_matter import BadFrontMatter, read_front_matter
from tools_app.text import clean

FOLDER: Final = ".cursor/rules"
OLD_FILE: Final = ".cursorrules"
ENDING: Final = ".mdc"
MAX_GLOBS: Final = 50  # of one rule
MAX_GLOB_CHARACTERS: Final = 300
MAX_ALTERNATIVES: Final = 50  # of the braces of one pattern
MAX_STEPS: Final = 30  # of a pattern or a path
MAX_DESCRIPTION_CHARACTERS: Final = 500
_UNQUOTED_GLOBS: Final = re.compile(r"^globs:[ \t]+(?![\"'\[])([^\r\n]+)", re.MULTILINE)
_BRACES: Final = re.compile(r"\{([^{}]*)\}")


@dataclass(frozen=True, slots=True)
class CursorRule:
    """One rule of Cursor. It applies always, to files that match its patterns, or to work that its description names. A
    rule with none of the three is used only when a person mentions its file in a prompt."""

    path: str
    text: str
    description: str = ""
    globs: tuple[str, ...] = ()
    always: bool = False

    @property
    def is_on_request(self) -> bool:
        return not self.always and not self.globs and bool(self.description)


def read_rule(path: str, text: str) -> CursorRule:
    """Parse the file of a rule. Raises BadFrontMatter."""
    try:
        fields, body = read_front_matter(text)
    except BadFrontMatter:  # `globs: *.ts` is not YAML, but Cursor itself writes it
        fields, body = read_front_matter(_UNQUOTED_GLOBS.sub(_quoted, text))
    always = fields.get("alwaysApply")
    if always not in (None, True, False):
        raise BadFrontMatter("`alwaysApply` must be true or false")
    description = fields.get("description")
    about = " ".join(description.split())[:MAX_DESCRIPTION_CHARACTERS] if isinstance(description, str) else ""
    return CursorRule(path, body.strip(), clean(about), _globs(fields.get("globs")), always is True)


def _quoted(found: re.Match[str]) -> str:
    return f"globs: '{found[1].strip().replace(chr(39), chr(39) * 2)}'"


def _globs(value: Any) -> tuple[str, ...]:
    """Return the patterns of a list, or of a text in which commas separate them."""
    entries = value if isinstance(value, list) else _split(value) if isinstance(value, str) else ()
    plain = [entry.strip().removeprefix("./") for entry in entries if isinstance(entry, str)]
    kept = [clean(entry) for entry in plain if entry and len(entry) <= MAX_GLOB_CHARACTERS]
    return tuple(dict.fromkeys(kept))[:MAX_GLOBS]


def _split(text: str) -> list[str]:
    """Split a text at its commas, except those in braces."""
    parts, depth = [""], 0
    for char in text:
        depth += (char == "{") - (char == "}" and depth > 0)
        if char == "," and not depth:
            parts.append("")
        else:
            parts[-1] += char
    return parts


def matches(globs: Iterable[str], path: str) -> bool:
    """Return whether one of the patterns matches a path. `*` stays in one folder, `**` stands for any folders, and a
    pattern without a slash matches the name of a file in any folder."""
    steps = path.split("/")
    return len(steps) <= MAX_STEPS and any(
        _fits(pattern.split("/"), steps) for glob in globs for pattern in _alternatives(glob)
    )


def _alternatives(glob: str) -> Sequence[str]:
    """Return the patterns that a pattern with braces stands for: `*.{js,ts}` -> `*.js`, `*.ts`."""
    waiting: list[str] = [glob]
    found: list[str] = []
    while waiting and len(waiting) + len(found) <= MAX_ALTERNATIVES:
        pattern = waiting.pop()
        braces = _BRACES.search(pattern)
        if braces is None:
            found.append(pattern)
        else:
            before, after = pattern[: braces.start()], pattern[braces.end() :]
            waiting += [f"{before}{each}{after}" for each in itertools.islice(braces[1].split(","), MAX_ALTERNATIVES)]
    return found


def _fits(pattern: list[str], steps: list[str]) -> bool:
    """Return whether a pattern matches a path, both split at slashes. The set `reached` holds, after each part of the
    pattern, the possible numbers of path components matched so far."""
    if len(pattern) == 1:
        pattern = ["**", *pattern]
    if len(pattern) > MAX_STEPS:
        return False
    reached = {0}
    for part in pattern[1:] if pattern[0] == "" else pattern:
        if part == "**":
            reached = set(range(min(reached), len(steps) + 1))
        else:
            reached = {count + 1 for count in reached if count < len(steps) and fnmatchcase(steps[count], part)}
        if not reached:
            return False
    return len(steps) in reached


def rules_for(rules: Iterable[Mapping[str, Any]], path: str) -> list[str]:
    """Return the paths of the stored rules {path, globs, in_folder} whose patterns match a path of the workspace.
    Patterns are relative to the folder of the rule."""
    found: list[str] = []
    for rule in rules:
        folder = f"{rule['in_folder']}/" if rule.get("in_folder") else ""
        if path.startswith(folder) and matches(rule["globs"], path.removeprefix(folder)):
            found.append(rule["path"])
    return found
