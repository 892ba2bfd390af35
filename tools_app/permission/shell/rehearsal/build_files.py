"""Replace the variables in files of build programs by their values, in the notations that such files use.

Each program has a format of its own (`build.ninja`, `Taskfile.yml`, `tox.ini`, `pom.xml`, workflows). But all of them
give values to names somewhere, and mark where a value is inserted: `$x`, `{{ x }}`, `@x@`. These files are only
searched for commands that rules ask about or deny, so one reader that knows all notations and no format is enough.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Final

from tools_app.permission.shell.escapes import unescaped
from tools_app.permission.shell.rehearsal.scene import MAX_NAMES, Scene
from tools_app.permission.shell.rehearsal.template_functions import evaluated

MAX_LINES: Final = 200
MAX_VARIANTS: Final = 4  # values of one name that are tried
_MAX_CHARS: Final = 1_000  # of a line
_MAX_DEPTH: Final = 8

_KEY: Final = r"[\"']?([A-Za-z_][\w.-]{0,60})[\"']?"
_WORDS: Final = "(?:export|set|let|var|const|def|local|ENV|ARG|override)"
_GIVEN: Final = tuple(
    re.compile(pattern, re.MULTILINE)
    for pattern in (
        rf"^[ \t]*(?:-[ \t]+)?(?:{_WORDS}[ \t]+)?{_KEY}[ \t]*(?::=|[?+!]?=|:)[ \t]*(\S.*)$",
        rf"(?<!\$)[{{,]\s*{_KEY}\s*[:=]\s*(\"[^\"\n]*\"|'[^'\n]*'|[^,{{}}\n]+)",
        rf"^[ \t]*(?:ENV|ARG|set|property)[ \t]+{_KEY}[ \t]+([^=:\s].*)$",
        rf"(?<![\w.${{]){_KEY}\s*[:=]\s*([\"']?[\w./-]{{1,100}}[\"']?)(?=[\s,;}})\]]|$)(?!\s*[:=])",
        r"<([A-Za-z_][\w.-]*)>([^<>]*)</\1>",
        r"\bname=[\"']([\w.-]+)[\"']\s+(?:value|default|location)=[\"']([^\"']*)[\"']",
    )
)
"""Assignments of a value to a name: `x = y`, `x: y`, `{x: y}`, `ENV x y`, `<x>y</x>`, `name="x" value="y"`."""
_PRINTED: Final = re.compile(rf"{_KEY}:\s*(?:\{{\s*|\n\s+)(?:sh|command|cmd|shell):\s*([^}}\n]+)")
"""A name whose value a command prints."""
_REFERENCE: Final = re.compile(
    r"(?P<dollars>\$\$)|\$\{\{(?P<workflow>[^{}]*)\}\}|\{\{-?(?P<template>[^{}]*?)-?\}\}"
    r"|\$(?:ENV|CACHE)?\{(?P<braces>[^{}$]*)\}|\$\((?P<brackets>[\w.:-]+)\)|\$(?P<dollar>[A-Za-z_]\w*)"
    r"|\{(?P<brace>(?:\[[\w:.-]*\])?[A-Za-z_/:][\w.-]*(?:(?:(?<=args):|:(?! ))[^{}\n]*)?)\}|@(?P<at>[A-Za-z_]\w*)@"
    r"|%\((?P<config>\w+)\)s|%(?P<percent>[A-Za-z_]\w*)%"
)
_OF_SHELL: Final = frozenset({"braces", "dollar", "brace", "at", "percent"})
"""Notations that may mean something else, so an unknown name stays as it is."""
_ARGUMENTS: Final = frozenset({"posargs", "args", "CLI_ARGS"})
_FOLDER: Final = re.compile(r"(?:\w*[._])?(?:root|base|\w*dir|rootdir|path|here)", re.IGNORECASE)
_JOINED_LINES: Final = re.compile(r"\$\n[ \t]*")
_COMMENT: Final = re.compile(r"[ \t]+#.*")
_PREFIX: Final = re.compile(rf"{_KEY}\s*[:=]+\s*(.+)", re.DOTALL)
_LISTED: Final = re.compile(r"-[ \t]+")


@dataclass(frozen=True, slots=True)
class Surroundings:
    """The values and functions that a build file gets from its program and the command line."""

    scene: Scene
    run: Callable[[str], str]
    """Returns the output of a shell that runs a text."""
    given: Mapping[str, str] = field(default_factory=dict)
    """Values from the command line."""
    arguments: Sequence[str] = ()
    """The arguments that the program passes on to the commands that it runs."""

    @property
    def unknown(self) -> str:
        return self.scene.stage.unknown


class BuildFile:
    """The text of a build file such as a makefile, in which references to variables are replaced by their values."""

    def __init__(self, text: str, around: Surroundings) -> None:
        self._text = _JOINED_LINES.sub("", text)
        self._as_written = frozenset(text.splitlines())
        self._around = around
        self._unknown = around.unknown
        self._values = self._read()
        self._number = 0

    def lines(self) -> Iterator[str]:
        """Yield the lines of the build file that differ after its variables are replaced, and lines with `$` or a
        backquote, which a shell may expand. A variable with several values gives several lines."""
        seen: dict[str, None] = {}
        for number in range(min(MAX_VARIANTS, max(map(len, self._values.values()), default=1))):
            self._number = number
            for line in self._text.splitlines()[:MAX_LINES]:
                filled = self.filled(line[:_MAX_CHARS])
                if (filled not in self._as_written or "$" in line or "`" in line) and filled not in seen:
                    seen[filled] = None
                    yield filled

    def _read(self) -> dict[str, list[str]]:
        values: dict[str, list[str]] = {}
        found = chain.from_iterable(each.finditer(self._text) for each in _GIVEN)
        for each in found:
            _add(values, each[1], _plain(each[2]))
        for each in _PRINTED.finditer(self._text):
            values.pop(each[1], None)
            _add(values, each[1], self._around.run(_plain(each[2])).strip())
        return values

    def filled(self, text: str) -> str:
        """Return a text with references to names replaced by their values, the innermost first."""
        for _ in range(_MAX_DEPTH):
            before, text = text, _REFERENCE.sub(self._value, text)[:_MAX_CHARS]
            if text == before:
                break
        return text

    def _value(self, found: re.Match[str]) -> str:
        kind = found.lastgroup or ""
        if kind == "dollars":
            return "$"
        expression = found[kind].strip()
        value = self._looked_up(expression)
        if value is None and kind in {"workflow", "template"}:
            value = evaluated(expression, self._looked_up, self._unknown)
        if value is None:
            return found[0] if kind in _OF_SHELL and not (self._unknown and "$" in found[0]) else self._unknown
        return value

    def _looked_up(self, expression: str) -> str | None:
        """Return the value of a setting or variable; None if it has no value.

        The expression may also have a section in front of the name and a default behind it.
        """
        if expression in {"/", ":"}:
            return expression
        name, colon, default = re.sub(r"^(?:\[[^]]*\]|env:|\.)", "", expression).partition(":")
        name = name.strip()
        if not re.fullmatch(r"[\w.-]+", name):
            return None
        if name in _ARGUMENTS:
            return " ".join(self._around.arguments) or default or self._unknown
        for each in (name, name.rpartition(".")[2], default if colon and default.replace("_", "a").isalnum() else ""):
            if each in self._around.given:
                return self._around.given[each]
            if values := self._values.get(each):
                several = len(values) > 1 and self._unknown
                return self._unknown if several else values[min(self._number, len(values) - 1)]
        if colon:
            return default.lstrip("-=+?")
        return self._around.scene.folder if _FOLDER.fullmatch(name) else None


def shell_texts(line: str) -> Iterator[str]:
    """Yield the parts of a line that a shell may run: the whole line, and the text after a prefix such as `run:`."""
    text = _LISTED.sub("", line.strip(), count=1)
    yield _plain(text)
    if found := _PREFIX.fullmatch(text):
        yield _plain(found[2])


def _add(values: dict[str, list[str]], name: str, value: str) -> None:
    its = values.setdefault(name, []) if len(values) < MAX_NAMES else []
    if value not in its and len(its) < MAX_VARIANTS:
        its.append(value)


def _plain(value: str) -> str:
    """Return a value without its quotes, and without a comment or comma behind it."""
    value = value.strip().rstrip(",").strip()
    if value[:1] in {"'", '"'} and value[-1:] == value[:1] and len(value) > 1:
        return unescaped(value[1:-1]) if value[0] == '"' else value[1:-1]
    return _COMMENT.sub("", value)
