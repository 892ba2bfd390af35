"""mentioned(): list possible commands in quotes, here-documents and options of a shell text, which an incomplete
analysis may miss."""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from tools_app.permission.shell.bare_commands import bare_commands
from tools_app.permission.shell.code_commands import commands_in_code
from tools_app.permission.shell.commands import usage_of_command
from tools_app.permission.shell.constants import folded
from tools_app.permission.shell.declared_commands import declared_commands
from tools_app.permission.shell.model import Command
from tools_app.permission.shell.named import readings
from tools_app.permission.shell.other_names import usual_name
from tools_app.permission.shell.possible_commands import without_signs
from tools_app.permission.shell.variable_commands import commands_in_settings
from tools_app.permission.shell.words import Field

MAX_MENTIONS: Final = 10_000
_MAX_CHARS: Final = 200  # of one
_MAX_WORDS: Final = 16  # of a command, that may begin another one
_MAX_BEFORE: Final = 3  # words in front of a command, such as `1e` of sed
_BETWEEN: Final = re.compile(r"['\"`;|&(){}\[\]\n=$<>\\!,:%]+")
_DEFAULTS: Final = re.compile(r"\$\{\w+:?[-=+]([^{}\n]*)\}")
"""The value that a variable has if it is not set."""
_LISTED: Final = re.compile(r"['\"]\s*,\s*['\"]")
"""The separator of the words of a command that is written as a list of texts."""
_LITERAL: Final = re.compile(r"'([^'\n]*)'|\"([^\"\n]*)\"")
_QUOTED_WORDS: Final = re.compile(r"(?:\bqw|\bqx|%w|%x)\W([^)\]}/\n]*)")
_PLACES: Final = re.compile(r"%s|\{\w*\}|#\{|\$\w+|\s+$")
_MAX_JOINED: Final = 5  # literals of one command
_MAX_LITERALS: Final = 200  # of one code
_REPLACED: Final = re.compile(r"\bs([/|,#!])(?:(?!\1)[^\\]|\\.)*\1((?:(?!\1)[^\\]|\\.)*)\1")
_SED: Final = frozenset({"sed", "gsed"})
_SED_COMMANDS: Final = re.compile(r"(?=e[ \t]*([A-Za-z./~][^\n]*))")
"""A command that `sed` may run: the rest of a line behind an `e`."""
_BEGINS: Final = re.compile(r"[A-Za-z./~]")
_WITH_OPTIONS: Final = re.compile(r"(?:git-[a-z]|(?:git|[pn]?npm|npx|yarn|bun|make|cargo|mvn|gradle|python3?) -)")
"""The beginning of a command whose usual form may be another one: `git -C src push`, `git-push`."""
_LINES: Final = re.compile(r"[;|&\n(){}`'\"]+")


def mentioned(text: str, commands: Sequence[Command], codes: Iterable[str] = ()) -> tuple[str, ...]:
    """Return texts that may be commands: each piece of the text between operators, every suffix of its list of words,
    and adjacent literals in code."""
    found: dict[str, None] = {}
    in_codes = [text for code in codes for text in _calculated(code)]
    for each in (*_candidates(text, commands), *in_codes):
        words = each.split()
        for index, name in enumerate(map(without_signs, words[:_MAX_BEFORE])):
            if _BEGINS.match(name) and len(found) < MAX_MENTIONS:
                found |= dict.fromkeys(_spelled(name.rpartition("/")[2], words[index + 1 :]))
    return tuple(found)


def _spelled(name: str, args: Sequence[str]) -> Iterator[str]:
    """Yield a command as it is written, under the usual name of its program, and without the options that rules do not
    name."""
    text = " ".join([name, *args])[:_MAX_CHARS]
    yield text
    if (usual := usual_name(name)) != name:
        yield " ".join([usual, *args])[:_MAX_CHARS]
    if _WITH_OPTIONS.match(text):
        usage = usage_of_command(name, [Field(each) for each in args])
        for each in (usage.canonical or (), *usage.spellings):
            yield " ".join(word.text for word in each)[:_MAX_CHARS]


def _calculated(code: str) -> Iterator[str]:
    """Yield the texts that code may put together from its literals."""
    yield from joined_literals(code)
    yield from commands_in_code(code)
    yield from declared_commands(code)
    yield from bare_commands(code)
    for each in folded(code):
        yield from joined_literals(each)
        for text in dict.fromkeys(readings(each)):
            yield from _BETWEEN.split(text)


def joined_literals(code: str) -> Iterator[str]:
    """Yield the texts that code may put together from adjacent literals: `["git", "push"]`."""
    texts = ["".join(filter(None, each.groups())) for each in _LITERAL.finditer(code)][:_MAX_LITERALS]
    plain = [_PLACES.sub("", each).strip() for each in texts]
    for index in range(len(plain) - 1):
        if _BEGINS.match(plain[index]):
            yield from (" ".join(plain[index : index + size]) for size in range(2, _MAX_JOINED + 1))


def _candidates(text: str, commands: Iterable[Command]) -> Iterator[str]:
    for command in commands:
        if command.words[:1] and command.words[0].rpartition("/")[2] in _SED:
            yield from (text for word in command.words[1:] for text in _SED_COMMANDS.findall(word)[:MAX_MENTIONS])
        for index in range(1, min(len(command.words), _MAX_WORDS)):
            yield " ".join(command.words[index:])
    yield from (each[2] for each in _REPLACED.finditer(text))
    yield from _QUOTED_WORDS.findall(text)
    for each in dict.fromkeys(readings(text)):
        yield from _BETWEEN.split(each)
        yield from commands_in_settings(each)
    yield from filter(_WITH_OPTIONS.match, map(str.strip, _LINES.split(text)))
    if "," in text or "${" in text:
        listed = _DEFAULTS.sub(r"\1", _LISTED.sub(" ", text))
        if listed != text:
            yield from _BETWEEN.split(listed)
