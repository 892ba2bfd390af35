"""mentioned(): commands that an incomplete text contains as text, and may run: in quotes, here-documents, options."""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from tools_app.permission.shell.model import Command

MAX_MENTIONS: Final = 300
_MAX_CHARS: Final = 200  # of one
_MAX_WORDS: Final = 16  # of a command, that may begin another one
_MAX_BEFORE: Final = 3  # words in front of a command, such as `1e` of sed
_BETWEEN: Final = re.compile(r"['\"`;|&(){}\[\]\n=$<>\\!,:]+")
_DEFAULTS: Final = re.compile(r"\$\{\w+:?[-=+]([^{}\n]*)\}")
"""The value that a variable has if it is not set."""
_LISTED: Final = re.compile(r"['\"]\s*,\s*['\"]")
"""What stands between the words of a command that is a list of texts."""
_SED: Final = frozenset({"sed", "gsed"})
_SED_COMMANDS: Final = re.compile(r"(?=e[ \t]*([A-Za-z./~][^\n]*))")
"""What `sed` may run: the rest of a line behind an `e`."""
_BEGINS: Final = re.compile(r"[A-Za-z./~]")


def mentioned(text: str, commands: Sequence[Command]) -> tuple[str, ...]:
    """Return what may be a command: each piece of the text between signs, and the words of each command from one on."""
    found: dict[str, None] = {}
    for each in _candidates(text, commands):
        words = each.split()
        for index in range(min(len(words), _MAX_BEFORE)):
            if _BEGINS.match(words[index]) and len(found) < MAX_MENTIONS:
                found.setdefault(" ".join([words[index].rpartition("/")[2], *words[index + 1 :]])[:_MAX_CHARS])
    return tuple(found)


def _candidates(text: str, commands: Iterable[Command]) -> Iterator[str]:
    for command in commands:
        if command.words[:1] and command.words[0].rpartition("/")[2] in _SED:
            yield from (text for word in command.words[1:] for text in _SED_COMMANDS.findall(word)[:MAX_MENTIONS])
        for index in range(1, min(len(command.words), _MAX_WORDS)):
            yield " ".join(command.words[index:])
    yield from _BETWEEN.split(text)
    if "," in text or "${" in text:
        listed = _DEFAULTS.sub(r"\1", _LISTED.sub(" ", text))
        if listed != text:
            yield from _BETWEEN.split(listed)
