"""meant_actions(): the actions of a tool that a command may mean, although options or abbreviations hide their names.

`poetry -q pub` may mean `poetry publish`. It is not known here whether an option takes the next word as its value, nor
whether a tool accepts the beginning of a name, so both count. The result is only used by rules that ask or deny.
"""

from collections.abc import Container, Iterator, Mapping, Sequence
from functools import cache
from typing import Final

from tools_app.permission import leaving
from tools_app.permission.names import names
from tools_app.permission.shell.implied_actions import WILDCARDS
from tools_app.permission.shell.words import Field

_NO_NAMES: Final = frozenset("*?+=:/@")
"""Characters that stand in no name of an action."""
_OF_OTHER_TABLES: Final = names("git python python3 gradle ./gradlew env export npx")
"""Programs in the rules whose words are no actions, or are read elsewhere."""
_SCRIPT_RUNNERS: Final = names("yarn pnpm bun rake mvn sbt grunt")
"""Tools whose words may be names of scripts, tasks or goals, which nobody abbreviates."""
_LEAST: Final = 3
"""How many letters an abbreviation has at least."""
_TWO_VALUES: Final = names("--option --arg --argstr --override-input")
"""Options that take the next two words as their values."""


def meant_actions(name: str, args: Sequence[Field]) -> list[list[Field]]:
    """Return the command with the full name of each action that it may mean, and without the options before it."""
    if not args or not (known := _actions().get(name)):
        return []
    texts = [each.text for each in args]
    different = dict.fromkeys(texts)
    begins = name not in _SCRIPT_RUNNERS
    possible = dict.fromkeys(action for text in different for action in known.get(text, ()))
    found = (
        (action, _end(action, texts, begins=begins))
        for action in possible
        if all(_is_in(different, word, begins=begins) for word in action)
    )
    return [
        [Field(name), *map(Field, action), *args[end:]]
        for action, end in found
        if end and action != tuple(texts[: len(action)])
    ]


def _end(action: Sequence[str], texts: Sequence[str], *, begins: bool) -> int:
    """Return the index behind the words that may mean `action`; 0 if there are none."""
    index, values = 0, 0
    for word in action:
        while index < len(texts) and not _may_be(texts[index], word, begins=begins):
            text = texts[index]
            if text[:1] in {"-", "+"}:
                values = 2 if text in _TWO_VALUES else int(text[:1] == "-" and "=" not in text)
            elif not values:
                return 0
            else:
                values -= 1
            index += 1
        index += 1
    return index if index <= len(texts) else 0


def _is_in(texts: Container[str], word: str, *, begins: bool) -> bool:
    return word in texts or (begins and any(each in texts for each in _beginnings(word)))


def _beginnings(word: str) -> list[str]:
    """Return what may stand for the word: its first letters, and the whole of it."""
    return [*(word[:end] for end in range(_LEAST, len(word))), word]


def _may_be(text: str, word: str, *, begins: bool) -> bool:
    return text == word or (begins and len(text) >= _LEAST and word.startswith(text))


@cache
def _actions() -> Mapping[str, Mapping[str, Sequence[tuple[str, ...]]]]:
    """Return the programs that the presets' rules and the table of implied actions name, and their actions there, by
    each text that may be their first word."""
    found: dict[str, dict[str, dict[tuple[str, ...], None]]] = {}
    for wildcard in (*leaving.COMMANDS, *WILDCARDS):
        name, *words = wildcard.split()
        action = tuple(_names_in(words))
        if action and name not in _OF_OTHER_TABLES:
            for text in _beginnings(action[0]):
                found.setdefault(name, {}).setdefault(text, {})[action] = None
    return {name: {text: tuple(its) for text, its in known.items()} for name, known in found.items()}


def _names_in(words: Sequence[str]) -> Iterator[str]:
    for word in words:
        if word[:1] == "-" or not _NO_NAMES.isdisjoint(word):
            return
        yield word
